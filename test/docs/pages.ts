import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface Page {
  /** Relative to the repository. */
  readonly name: string;
  readonly text: string;
}

export interface Block {
  readonly page: string;
  readonly line: number;
  readonly code: string;
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(repository, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(repository, folder, name));
}

function packagePages(): string[] {
  return readdirSync(join(repository, 'packages'))
    .map((name) => join(repository, 'packages', name, 'README.md'))
    .filter((path) => existsSync(path));
}

/** Everything written for people. */
export const PAGES: readonly Page[] = [
  ...markdownIn('.'),
  ...markdownIn('docs'),
  ...markdownIn('examples'),
  ...markdownIn('bench'),
  ...packagePages(),
].map((path) => ({ name: relative(repository, path), text: readFileSync(path, 'utf8') }));

/** The code blocks in a language, those in lists without their indentation. */
export function blocksIn(language: string): readonly Block[] {
  const fence = new RegExp(`^( *)\`\`\`${language}\\n(.*?)^\\1\`\`\`$`, 'gms');
  return PAGES.flatMap(({ name, text }) =>
    [...text.matchAll(fence)].map(({ index, 1: indentation = '', 2: code = '' }) => ({
      page: name,
      line: text.slice(0, index).split('\n').length,
      code: code.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
    })),
  );
}

/** A page without its code blocks. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^( *)```.*?^\1```$/gms, '');
}
