import type { Paint } from '../output/paint.js';

/** Prints the tour, and counts what does not happen as it says. */
export class Narrator {
  readonly #out: (text: string) => void;
  readonly #paint: Paint;
  readonly #base: string;
  #surprises = 0;

  /** `base` is shown as three dots: it is a temporary folder with a random name. */
  constructor(out: (text: string) => void, paint: Paint, base: string) {
    this.#out = out;
    this.#paint = paint;
    this.#base = base;
  }

  get surprises(): number {
    return this.#surprises;
  }

  tell(text: string): void {
    this.#out(`\n${this.#paint('title', text)}\n`);
  }

  show(ok: boolean, what: string, detail?: string): void {
    if (!ok) this.#surprises++;
    const mark = ok ? this.#paint('good', '✓') : this.#paint('bad', '✗');
    const more = detail === undefined ? '' : this.#paint('quiet', `  ${this.shorten(detail)}`);
    this.#out(`  ${mark} ${this.shorten(what)}${more}\n`);
  }

  leaveOut(why: string): void {
    this.#out(`  ${this.#paint('quiet', `– ${why}`)}\n`);
  }

  end(): void {
    const { surprises } = this;
    this.#out(
      surprises === 0 ? '\nEverything went as told.\n' : `\n${surprises} things did not go as told.\n`,
    );
  }

  shorten(text: string): string {
    return text.replaceAll(this.#base, '…');
  }
}
