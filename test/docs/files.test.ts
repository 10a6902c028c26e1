import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answering } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../exec/fixtures/run-command.js';
import { connectAsking } from '../exec/fixtures/asking-client.js';
import { makeProject } from '../exec/fixtures/tools-project.js';
import { blocksIn, type Block } from './pages.js';
import { connectRootward, makeFolders, textOf } from '../server/fixtures/rootward.js';

const folders = makeFolders('open', 'closed');

/** A user who agrees. */
function say(): { action: 'accept'; content: { confirmed: boolean } } {
  return { action: 'accept', content: { confirmed: true } };
}

/** The one block in a language; another one would be left unchecked. */
function onlyBlock(language: string): Block {
  const blocks = blocksIn(language);
  expect(blocks).toHaveLength(1);
  return blocks[0] ?? { page: '', line: 0, code: '' };
}

describe.runIf(process.platform !== 'win32')('A file that the documentation shows', () => {
  test('is a tool with a header line: it is fine, and keeps to the roots', async () => {
    const project = makeProject();
    chmodSync(project.write('tools/count-lines.sh', blocksIn('bash')[0]?.code ?? ''), 0o755);
    expect(await runCommand(['validate', '--project', project.path])).toMatchObject({ code: 0, err: '' });

    writeFileSync(join(folders.path('open'), 'three.txt'), '1\n2\n3\n');
    const roots = answering([{ uri: folders.uri('open') }]);
    const { client } = await connectRootward(['--project', project.path], { roots });
    const { tools } = await client.request('tools/list');
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'count-lines', description: 'Counts the lines of a file' }),
    );
    const inside = await client.callTool('count-lines', { path: join(folders.path('open'), 'three.txt') });
    expect(textOf(inside)).toMatch(/^\s*3 lines\s*$/);
    const outside = client.callTool('count-lines', { path: join(folders.path('closed'), 'name.txt') });
    await expect(outside).rejects.toThrow('outside the roots');
    await client.close();
  });

  test('is a tool that asks, in each language', async () => {
    const project = makeProject();
    const codes = [blocksIn('bash')[1], blocksIn('node')[0], blocksIn('python')[0]].map((each) => each?.code);
    for (const [index, code = ''] of codes.entries())
      project.write(`tools/report-${index}${['.sh', '.mjs', '.py'][index]}`, code);
    expect(await runCommand(['validate', '--project', project.path])).toMatchObject({ code: 0, err: '' });
    const client = await connectAsking('modern', ['--project', project.path], { say });
    for (const index of codes.keys()) {
      const { content, structuredContent } = await client.callTool({ name: `report-${index}` });
      expect(structuredContent).toEqual({ success: true, result: { written: true } });
      expect(content[1]).toMatchObject({
        resource: { text: expect.stringContaining(project.path) as unknown },
      });
    }
  });

  test('is a document with front matter: listings show what it says of itself', async () => {
    const docs = join(folders.path('open'), 'docs');
    mkdirSync(docs, { recursive: true });
    writeFileSync(join(docs, 'testing.md'), `${onlyBlock('markdown').code}\nTest it.\n`);
    const { client } = await connectRootward(['--root', folders.path('open')]);
    const { structuredContent } = await client.callTool('category_list');
    expect(structuredContent).toMatchObject({
      value: {
        categories: expect.arrayContaining([
          expect.objectContaining({
            documents: expect.arrayContaining([
              expect.objectContaining({
                title: 'Testing',
                description: 'How we test, and why',
                audience: ['people', 'assistants'],
              }),
            ]) as unknown,
          }),
        ]) as unknown,
      },
    });
    await client.close();
  });
});
