import picomatch from 'picomatch';

/** Which tools the operator wants, by globs over their names. */
export interface ToolGlobs {
  /** Undefined for all. */
  readonly tools: readonly string[] | undefined;
  readonly hideTools: readonly string[];
}

/** Chooses tools by name. A tool that is not chosen is not listed, and refused when called. */
export class ToolChoice {
  readonly #globs: ToolGlobs;
  readonly #shown: (name: string) => boolean;
  readonly #hidden: (name: string) => boolean;

  constructor(globs: ToolGlobs = { tools: undefined, hideTools: [] }) {
    this.#globs = globs;
    this.#shown = globs.tools === undefined ? () => true : matcherOf(globs.tools);
    this.#hidden = matcherOf(globs.hideTools);
  }

  allows(name: string): boolean {
    return this.#shown(name) && !this.#hidden(name);
  }

  /** The globs that match none of these names, most likely mistyped. */
  idle(names: readonly string[]): readonly string[] {
    const { tools = [], hideTools } = this.#globs;
    return [...tools, ...hideTools].filter((glob) => !names.some(matcherOf([glob])));
  }
}

function matcherOf(globs: readonly string[]): (name: string) => boolean {
  const matches = picomatch([...globs]);
  return (name) => globs.length > 0 && matches(name);
}
