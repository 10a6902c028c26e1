import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Scope } from '@rootward/core';
import type { WorkspaceOptions } from '../../src/index.js';
import { describe, expect, test } from 'vitest';
import { AgentClient, errorOf, ERAS, Repository } from '../fixtures/agent-client.js';

/** Rules of the operator, tied to the main tree. */
function optionsFor(repository: Repository): WorkspaceOptions {
  return {
    roots: [repository.main],
    createScope: (snapshot) =>
      new Scope({
        roots: snapshot.roots,
        rules: {
          deny: ['config/private'],
          denyAbsolute: [join(repository.main, 'absolute')],
          protect: [join(repository.main, 'tools')],
          inFolder: new Map([[join(repository.main, 'locked'), { readOnly: true }]]),
        },
      }),
  };
}

describe.each(ERAS)('on a %s connection', (era) => {
  test.each([
    ['inside the main tree', undefined],
    ['beside it', 'beside'],
  ])('rules of the main tree hold in a worktree %s', async (_, name) => {
    const repository = new Repository();
    // Not committed, so the worktree does not have it.
    writeFileSync(join(repository.main, '.rootward.json'), JSON.stringify({ deny: ['hidden'] }));
    mkdirSync(join(repository.main, 'nested'));
    writeFileSync(join(repository.main, 'nested', '.rootward.json'), JSON.stringify({ readOnly: true }));
    const client = await AgentClient.connect(repository.main, {
      era,
      hook: true,
      workspace: optionsFor(repository),
    });
    const tree = repository.addTree('one', name === undefined ? undefined : join(repository.top, name));
    for (const folder of [
      'config/private',
      'absolute',
      'tools',
      'locked',
      'hidden',
      'nested',
      'free',
      'own',
    ]) {
      mkdirSync(join(tree, folder), { recursive: true });
      writeFileSync(join(tree, folder, 'x.txt'), folder);
    }
    writeFileSync(join(tree, '.rootward.json'), JSON.stringify({ deny: ['own'] }));
    const agent = { id: 'one', cwd: tree };
    const read = async (path: string) => errorOf(await client.call(agent, 'read', { path }))?.error_type;
    const write = async (path: string) =>
      errorOf(await client.call(agent, 'write', { path, text: 'new' }))?.error_type;
    for (const folder of ['config/private', 'absolute', 'hidden', 'own']) {
      expect([folder, await read(`${folder}/x.txt`), await write(`${folder}/x.txt`)]).toEqual([
        folder,
        'denied',
        'denied',
      ]);
    }
    for (const [folder, code] of [
      ['tools', 'protected'],
      ['locked', 'read_only'],
      ['nested', 'read_only'],
    ] as const) {
      expect([folder, await read(`${folder}/x.txt`), await write(join(tree, folder, 'x.txt'))]).toEqual([
        folder,
        undefined,
        code,
      ]);
    }
    expect([await read('free/x.txt'), await write('free/x.txt')]).toEqual([undefined, undefined]);
    expect(readFileSync(join(tree, 'free/x.txt'), 'utf8')).toBe('new');
    await client.close();
  });
});
