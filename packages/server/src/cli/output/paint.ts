import { styleText } from 'node:util';
import type { Display } from './display.js';

/** What a piece of text means, rather than which colour it has. */
export type Tone = 'good' | 'bad' | 'doubtful' | 'quiet' | 'title' | 'name';

export type Paint = (tone: Tone, text: string) => string;

const FORMATS = {
  good: 'green',
  bad: 'red',
  doubtful: 'yellow',
  quiet: 'dim',
  title: 'bold',
  name: 'cyan',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** Colours for one display. Node would look at its own streams and environment; ours are decided once, in `displayOf`. */
export function painter({ colors }: Pick<Display, 'colors'>): Paint {
  if (!colors) return (_tone, text) => text;
  return (tone, text) => (text === '' ? '' : styleText(FORMATS[tone], text, { validateStream: false }));
}

/** File names and foreign texts may contain escape sequences for a terminal. Line breaks are kept. */
export function harmless(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]+/gu, ' ');
}
