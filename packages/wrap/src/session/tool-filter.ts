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
    const { bytes } = answer;
    const kept = (scanArray(bytes, span.start, span.end) ?? []).filter(({ start, end }) => {
      const name = scanObject(bytes, start, end)?.get('name');
      return name !== undefined && this.allows(JSON.parse(bytes.toString('utf8', name.start, name.end)));
    });
    const list = kept.map(({ start, end }) => bytes.toString('utf8', start, end));
    const own = added.map(({ text: tool }) => tool.replace(/^,/, ''));
    return [{ ...span, text: `[${[...list, ...own].join(',')}]` }];
  }
}
