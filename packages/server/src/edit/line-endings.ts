const CRLF = '\r\n';

export function toLf(text: string): string {
  return text.replaceAll(CRLF, '\n');
}

/** Text seen with `\n` line ends, which keeps its own line ends when edited. A lone `\r` is a character. */
export class NormalisedText {
  readonly text: string;
  readonly #original: string;
  /** Where, in `text`, there is a `\n` that is a `\r\n` in the original. In order. */
  readonly #pairs: readonly number[];

  constructor(original: string) {
    this.#original = original;
    this.text = toLf(original);
    const pairs: number[] = [];
    for (let at = original.indexOf(CRLF); at >= 0; at = original.indexOf(CRLF, at + 2)) {
      pairs.push(at - pairs.length);
    }
    this.#pairs = pairs;
  }

  /** The original with a part of `text` replaced; new lines end like those they replace, else like most of the file. */
  replace(start: number, end: number, replacement: string): string {
    const from = start + this.#pairsBefore(start);
    const to = end + this.#pairsBefore(end);
    const lines = this.#endsInCrlf(start, end) ? replacement.replaceAll('\n', CRLF) : replacement;
    return this.#original.slice(0, from) + lines + this.#original.slice(to);
  }

  /** The same for several parts of one length, in order. */
  replaceAll(starts: readonly number[], length: number, replacement: string): string {
    const [first = 0] = starts;
    const lines = this.#endsInCrlf(first, first + length) ? replacement.replaceAll('\n', CRLF) : replacement;
    let result = '';
    let position = 0;
    for (const start of starts) {
      result += this.#original.slice(position, start + this.#pairsBefore(start)) + lines;
      position = start + length + this.#pairsBefore(start + length);
    }
    return result + this.#original.slice(position);
  }

  #endsInCrlf(start: number, end: number): boolean {
    const first = this.text.indexOf('\n', start);
    if (first >= 0 && first < end) return this.#pairs.includes(first);
    let newlines = 0;
    for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) newlines++;
    return this.#pairs.length * 2 > newlines;
  }

  #pairsBefore(position: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#pairs[middle] ?? position) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
