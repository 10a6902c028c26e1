import type { PlacedLine } from './journal.js';
import type { ChangeAbout, CountedTree, EndLine, StepLine } from './line.js';
import { isMove, type Step } from './entry-state.js';

/** A step with where it stands among all steps of its journal. */
export interface PlacedStep {
  readonly step: Step;
  readonly at: number;
  readonly position: number;
}

/** One change as the journal has it. */
export interface Change extends ChangeAbout {
  readonly id: string;
  readonly at: number;
  /** In the order they were made; those that did not happen are left out. */
  readonly steps: readonly PlacedStep[];
  /** False while the change is under way, and for one whose process ended in the middle of it. */
  readonly complete: boolean;
  /** What could not be kept or looked at, in words. */
  readonly notes: readonly string[];
}

/** Combines lines into changes; both come newest first. */
export async function* foldChanges(lines: AsyncIterable<PlacedLine>): AsyncGenerator<Change, void> {
  const ends = new Map<string, EndLine>();
  const more = new Map<string, { readonly line: StepLine; readonly position: number }[]>();
  const seen = new Set<string>();
  for await (const { line, position } of lines) {
    switch (line.type) {
      case 'end':
        ends.set(line.id, line);
        break;
      case 'steps':
        (more.get(line.id) ?? setNew(more, line.id)).push({ line, position });
        break;
      case 'change': {
        if (seen.has(line.id)) break;
        seen.add(line.id);
        const { type: _type, steps: _steps, ...about } = line;
        const end = ends.get(line.id);
        const later = (more.get(line.id) ?? []).toReversed();
        const placed: PlacedStep[] = [{ line, position }, ...unique(later)].flatMap((each) =>
          each.line.steps.map((step) => ({ step, at: each.line.at, position: each.position })),
        );
        const failed = new Set(end?.failed);
        for (const counted of end?.counted ?? []) fillIn(placed, counted);
        ends.delete(line.id);
        more.delete(line.id);
        yield {
          ...about,
          steps: placed.filter((_step, index) => !failed.has(index)),
          complete: end !== undefined,
          notes: end?.notes ?? [],
        };
      }
    }
  }
}

/** A tree is noted before it is counted. */
function fillIn(placed: PlacedStep[], { step: index, ...counted }: CountedTree): void {
  const each = placed[index];
  if (each === undefined || isMove(each.step) || each.step.before.kind !== 'tree') return;
  placed[index] = { ...each, step: { ...each.step, before: { ...each.step.before, ...counted } } };
}

function setNew<Value>(map: Map<string, Value[]>, key: string): Value[] {
  const made: Value[] = [];
  map.set(key, made);
  return made;
}

/** A line may be there twice, when it was written while the journal was tidied up. */
function unique<Each extends { readonly line: StepLine }>(lines: readonly Each[]): readonly Each[] {
  return [...new Map(lines.map((each) => [each.line.first, each])).values()];
}
