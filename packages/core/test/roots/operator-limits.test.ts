import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { OperatorLimits, readSources, Scope, Workspace } from '../../src/index.js';
import { clientNames } from '../workspace/scripted-client.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-limits-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const app = join(top, 'app');
mkdirSync(join(app, 'src'), { recursive: true });
writeFileSync(join(app, 'src', 'a.txt'), 'a');

async function open(limits: OperatorLimits): Promise<Workspace> {
  const sources = { ...(await readSources({ environment: {}, home: top })), limits };
  const workspace = new Workspace({
    sources,
    limits: { spacing: 0 },
    createScope: ({ roots }) => new Scope({ roots, rules: { limits } }),
  });
  workspace.clientDeclared({ roots: true });
  return workspace;
}

describe('OperatorLimits', () => {
  test('hold for a place and all below it, the stronger one first', () => {
    const limits = new OperatorLimits();
    limits.set('/a', 'read-only');
    limits.set('/a/b', 'revoked');
    expect(['/a', '/a/x', '/a/b/c', '/ab', '/'].map((path) => limits.on(path))).toEqual([
      'read-only',
      'read-only',
      'revoked',
      undefined,
      undefined,
    ]);
    expect([limits.lift('/a/b'), limits.lift('/a/b'), limits.on('/a/b/c')]).toEqual([
      true,
      false,
      'read-only',
    ]);
  });

  test('take a root away at once, and again when the client names it again or what contains it', async () => {
    const limits = new OperatorLimits();
    using workspace = await open(limits);
    await clientNames(workspace, app);
    const seen: string[] = [];
    workspace.onDidChange(({ reason, removed }) => seen.push(`${reason} ${removed.length}`));
    const before = workspace.scope();
    expect((await before.readText(join(app, 'src/a.txt'))).text).toBe('a');

    limits.set(app, 'revoked');
    expect(seen).toEqual(['operator 1']);
    await expect(before.readText(join(app, 'src/a.txt'))).rejects.toMatchObject({ code: 'denied' });
    for (const path of [app, top, join(app, 'src')]) {
      await clientNames(workspace, path);
      await expect(workspace.scope().readText(join(app, 'src/a.txt'))).rejects.toMatchObject({
        code: 'denied',
        message: expect.stringContaining('the operator revoked it'),
      });
    }
    limits.lift(app);
    expect((await workspace.scope().readText(join(app, 'src/a.txt'))).text).toBe('a');
  });

  test('make a place read-only, whichever root contains it', async () => {
    const limits = new OperatorLimits();
    using workspace = await open(limits);
    limits.set(join(app, 'src'), 'read-only');
    for (const path of [app, join(app, 'src')]) {
      await clientNames(workspace, path);
      await expect(workspace.scope().write(join(app, 'src/a.txt'), 'b')).rejects.toMatchObject({
        code: 'read-only',
      });
      expect((await workspace.scope().readText(join(app, 'src/a.txt'))).text).toBe('a');
    }
    expect(workspace.snapshot().roots.map(({ access }) => access)).toEqual(['read-only']);
  });
});
