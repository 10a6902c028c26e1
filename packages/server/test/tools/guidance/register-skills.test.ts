import { createHash } from 'node:crypto';
import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import { withWorkspace } from '@rootward/mcp';
import { silent, type Result } from '@rootward/mcp/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ProjectSessions } from '../../../src/guidance/project-sessions.js';
import { registerGuides } from '../../../src/tools/guidance/register-guides.js';
import { connectProject, rootsAt } from '../../fixtures/project-client.js';
import { makeTree } from '../../fixtures/temp-tree.js';

const ERAS = ['legacy', 'modern'] as const;
const categories = {
  'My Docs': { dir: 'docs', description: 'About\n"all"' },
  'my-docs': { dir: 'more' },
  empty: { dir: 'none' },
};
const tree = makeTree({
  'p/.rootward.json': JSON.stringify({ categories }),
  'p/docs/größe %.md': '---\ntitle: Size\ndescription: It matters\n---\ntext',
  'p/docs/deep/SKILL.md': 'not the one of the skill',
  'p/docs/huge.md': 'x'.repeat(1_000_001),
  'p/more/one.md': '# One',
  'many/AGENTS.md': '# Agents',
  ...Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/docs/${index}.md`, 'x'])),
  ...Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [`big/docs/${index}.md`, 'x'.repeat(900_000)]),
  ),
  'secret.md': 'outside',
});

/** The official client of skills, connected to a server whose operator named the project. */
async function connectSkills(era: (typeof ERAS)[number], folder: string): Promise<SkillsClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(
    () => {
      const server = withWorkspace(new McpServer({ name: 'skills', version: '1.0.0' }), {
        environment: {},
        home: '/nonexistent',
        roots: [folder],
      });
      const reader = { workspace: undefined, hasListedGuides: false };
      registerGuides(server, new ProjectSessions({ era }), era, () => reader);
      return server;
    },
    { transport: far },
  );
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(near);
  onTestFinished(() => client.close());
  return new SkillsClient(client);
}

describe('guides as skills', () => {
  test.each(ERAS)('%s: the official client lists, verifies and reads them', async (era) => {
    const skills = await connectSkills(era, tree.path('p'));
    expect([skills.supported, skills.directoryRead]).toEqual([true, true]);
    const { skills: entries } = await skills.list();
    expect(entries.map(({ frontmatter }) => frontmatter)).toEqual([
      {
        name: 'p-my-docs',
        description: 'Guidance of the project p, category My Docs: About "all" (3 documents)',
      },
      { name: 'p-my-docs-2', description: 'Guidance of the project p, category my-docs (1 document)' },
    ]);
    const [entry] = entries as [Skill, Skill];
    expect(entry.uri).toMatch(/^skill:\/\/p-[0-9a-f]{8}\/p-my-docs\/SKILL\.md$/);
    expect((await skills.get(entry.uri)).skill).toEqual(entry);

    const manifest = await skills.read(entry);
    expect(manifest).toMatchObject({ verified: true, mimeType: 'text/markdown' });
    expect(manifest.body).toContain(
      '- [größe %.md](references/gr%C3%B6%C3%9Fe%20%25.md): Size; It matters\n',
    );
    expect(manifest.body).toContain(
      '- huge.md (not in this skill: call category_content with category "My Docs")',
    );
    const document = await skills.read(entry, 'references/gr%C3%B6%C3%9Fe%20%25.md');
    expect(document).toMatchObject({ verified: true, text: expect.stringMatching(/text$/) });

    const folder = entry.uri.slice(0, -'/SKILL.md'.length);
    const { resources: top } = await skills.readDirectory(folder);
    expect(top).toMatchObject([
      { name: 'SKILL.md', uri: entry.uri },
      { name: 'references', mimeType: 'inode/directory' },
    ]);
    const { resources } = await skills.readDirectory(top[1]!.uri);
    expect(resources.map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ['deep', 'inode/directory'],
      ['größe %.md', 'text/markdown'],
      ['huge.md', 'text/markdown'],
    ]);
    await expect(skills.readDirectory(entry.uri)).rejects.toMatchObject({ code: -32602 });
  });

  test('a category with very many documents is served without digests', async () => {
    const skills = await connectSkills('legacy', tree.path('many'));
    const { skills: entries } = await skills.list();
    expect(entries.map(({ resources }) => resources === 'dynamic' || resources.length)).toEqual([2, true]);
    const file = await skills.read(entries[1]!, 'references/docs/200.md');
    expect(file).toMatchObject({ verified: false, text: 'x' });
  });

  test('so is one with very long documents', async () => {
    const skills = await connectSkills('legacy', tree.path('big'));
    const { skills: entries } = await skills.list();
    expect(entries).toMatchObject([{ resources: 'dynamic' }]);
  });

  test('digests are those of what is read, also after a change', async () => {
    const { scripted } = await connectProject({ roots: rootsAt(tree.path('p')) });
    tree.add({ 'p/more/one.md': '# Other' });
    const { skills } = (await scripted.call('skills/list', {})) as { skills: Skill[] } & Result;
    const digests = new Map(
      (skills[1]!.resources as { uri: string; digest: string }[]).map((one) => [one.uri, one.digest]),
    );
    for (const [uri, digest] of digests) {
      const { contents } = (await scripted.call('resources/read', { uri })) as {
        contents: { text: string }[];
      } & Result;
      expect(`sha256:${createHash('sha256').update(contents[0]!.text).digest('hex')}`).toBe(digest);
    }
    expect(digests.size).toBe(2);
  });

  test('modern: a client with roots is asked when it reads a file, and a listing asks nobody', async () => {
    const { scripted } = await connectProject({ era: 'modern', roots: rootsAt(tree.path('p')) });
    expect((await scripted.request('skills/list'))['skills']).toEqual([]);
    expect(scripted.asked).toHaveLength(0);
    const legacy = await connectProject({ roots: rootsAt(tree.path('p')) });
    const { skills } = (await legacy.scripted.call('skills/list', {})) as { skills: Skill[] } & Result;
    const read = await scripted.call('resources/read', { uri: skills[0]!.uri });
    expect(read['contents']).toMatchObject([{ uri: skills[0]!.uri }]);
    expect(scripted.asked).toHaveLength(1);
  });

  test('resources/list names the skills of the known project, and waits for nobody', async () => {
    const client = await connectProject({ roots: rootsAt(tree.path('p')) });
    await client.current();
    const list = (await client.scripted.request('resources/list'))['resources'] as { uri: string }[];
    expect(list.filter(({ uri }) => uri.startsWith('skill:'))).toMatchObject([
      { name: 'p-my-docs', mimeType: 'text/markdown' },
      { name: 'p-my-docs-2' },
    ]);
    const { scripted } = await connectProject({ roots: silent });
    expect((await scripted.request('resources/list'))['resources']).toEqual([]);
  });

  test('without a project there are none, and nothing outside the project is read', async () => {
    const lost = await connectProject();
    expect((await lost.scripted.call('skills/list', {}))['skills']).toEqual([]);
    await expect(lost.scripted.call('skills/get', { uri: 'skill://p/x/SKILL.md' })).rejects.toMatchObject({
      code: -32602,
    });
    const { scripted } = await connectProject({ roots: rootsAt(tree.path('p')) });
    const { skills } = (await scripted.call('skills/list', {})) as { skills: Skill[] } & Result;
    const folder = skills[0]!.uri.slice(0, -'/SKILL.md'.length);
    for (const path of [
      'references/..%2f..%2fsecret.md',
      '%2e%2e/%2e%2e/secret.md',
      'references/none.md',
      '%ff',
      'references/huge.md',
    ]) {
      await expect(scripted.call('resources/read', { uri: `${folder}/${path}` })).rejects.toThrow(
        /not found|too long/i,
      );
    }
  });

  test('a client that listed skills is told when the roots change', async () => {
    const client = await connectProject({ roots: rootsAt(tree.path('p')) });
    await client.scripted.call('skills/list', {});
    await client.changeRoots(rootsAt(tree.path('many')));
    await client.scripted.until(() =>
      client.scripted.received.some(
        (message) => 'method' in message && message.method === 'notifications/resources/list_changed',
      ),
    );
  });
});
