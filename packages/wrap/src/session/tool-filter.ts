import picomatch from 'picomatch';
import type { Edit, RawMessage } from '../wire/raw-message.js';
import { scanArray, scanObject } from '../wire/scan-json.js';

/** Which tools a client sees, by globs over their names. */
export interface ToolFilterOptions {
  /** Only these; undefined for all. */
  readonly show?: readonly string[] | undefined;
  /** Not these. */
  readonly hide?: readonly string[] | undefined;
}

/** Decides which tools are there for the client. */
export class ToolFilter {
  readonly #shows: (name: string) => boolean;
  readonly active: boolean;

  constructor({ show, hide = [] }: ToolFilterOptions = {}) {
    const shown = show === undefined ? undefined : picomatch([...show]);
    const hidden = hide.length === 0 ? undefined : picomatch([...hide]);
    this.active = shown !== undefined || hidden !== undefined;
    this.#shows = (name) => (shown?.(name) ?? true) && !(hidden?.(name) ?? false);
  }

  allows(name: unknown): boolean {
    return !this.active || (typeof name === 'string' && this.#shows(name));
  }

  /** Takes the hidden tools out of an answer to `tools/list`, and leaves the others, and `added` ones, as they are. */
  edits(answer: RawMessage, added: readonly Edit[] = []): readonly Edit[] {
    const span = answer.span('result', 'tools');
    if (!this.active || span === undefined) return added;
    const text = answer.bytes.toString('latin1', span.start, span.end);
    const kept = (scanArray(text) ?? []).filter(({ start, end }) => {
      const name = scanObject(text, start, end)?.get('name');
      return name !== undefined && this.allows(parse(text.slice(name.start, name.end)));
    });
    const list = kept.map(({ start, end }) =>
      answer.bytes.toString('utf8', span.start + start, span.start + end),
    );
    const own = added.map(({ text: tool }) => tool.replace(/^,/, ''));
    return [{ ...span, text: `[${[...list, ...own].join(',')}]` }];
  }
}

function parse(latin1: string): unknown {
  return JSON.parse(Buffer.from(latin1, 'latin1').toString('utf8'));
}
