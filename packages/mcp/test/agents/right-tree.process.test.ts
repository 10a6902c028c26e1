import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentClient, errorOf, ERAS, filesIn, Repository, type Agent } from '../fixtures/agent-client.js';

const CASES = ERAS.flatMap((era) => [true, false].map((hook) => ({ era, hook })));
/** With these, more than a thousand writes in all. */
const ROUNDS = 24;
let writes = 0;

/** Files that each tree must have, and no others. */
class Expected {
  readonly #files = new Map<string, string[]>();
  #count = 0;

  next(tree: string): string {
    this.#count += 1;
    const name = `${this.#count}.new`;
    this.#files.set(tree, [...(this.#files.get(tree) ?? []), name]);
    return name;
  }

  check(trees: readonly string[]): void {
    for (const tree of trees) expect(new Set(filesIn(tree))).toEqual(new Set(this.#files.get(tree) ?? []));
  }
}

/** One write in the agent's own tree: it lands there, or is refused with what to pass instead. */
async function write(client: AgentClient, agent: Agent, expected: Expected, hook: boolean): Promise<void> {
  writes += 1;
  const name = expected.next(agent.cwd);
  const [tool, args] =
    Number.parseInt(name, 10) % 3 === 0
      ? (['run', { name }] as const)
      : (['write', { path: name, text: agent.id }] as const);
  const error = errorOf(await client.call(agent, tool, args));
  if (error === undefined) return;
  expect(hook).toBe(false);
  // The second where the client itself moved to another tree: relative paths start there once they have been seen to.
  expect(['ambiguous_tree', 'root_gone']).toContain(error.error_type);
  expect(error.instruction).toContain('Pass an absolute path');
  const absolute = join(agent.cwd, name);
  const direct = errorOf(await client.call(agent, 'write', { path: absolute, text: agent.id }));
  if (direct === undefined) return;
  // A tree outside the roots: by the handle that the refusal speaks of.
  const info = await client.call(agent, 'workspace_info', { path: agent.cwd });
  const workspace = (info['structuredContent'] as { handle: string }).handle;
  expect(
    errorOf(await client.call(agent, 'write', { path: name, text: agent.id, workspace })),
  ).toBeUndefined();
}

describe.each(CASES)('on a $era connection, with the hook: $hook', ({ era, hook }) => {
  test('an agent that enters a worktree and leaves it writes to no other tree', async () => {
    const repository = new Repository();
    const { main } = repository;
    const client = await AgentClient.connect(main, { era, hook });
    const expected = new Expected();
    await write(client, client.main, expected, hook);
    const tree = repository.addTree('feature');
    for (let round = 0; round < ROUNDS; round++) {
      client.main.cwd = round % 2 === 0 ? tree : main;
      await write(client, client.main, expected, hook);
      await write(client, client.main, expected, hook);
    }
    expected.check([main, tree]);
    await client.close();
  });

  test('an isolated sub-agent writes to no other tree', async () => {
    const repository = new Repository();
    const { main } = repository;
    const client = await AgentClient.connect(main, { era, hook });
    const expected = new Expected();
    await write(client, client.main, expected, hook);
    const agent = { id: 'one', cwd: repository.addTree('one') };
    for (let round = 0; round < ROUNDS; round++) {
      await write(client, agent, expected, hook);
      await write(client, client.main, expected, hook);
    }
    expected.check([main, agent.cwd]);
    repository.removeTree(agent.cwd);
    // Without the tree nothing is unclear any more.
    expect(errorOf(await client.call(client.main, 'write', { path: 'after.txt', text: '' }))).toBeUndefined();
    await client.close();
  });

  test('eight sub-agents at once write to no other tree, also when the server is restarted', async () => {
    const repository = new Repository();
    const { main } = repository;
    let client = await AgentClient.connect(main, { era, hook });
    const expected = new Expected();
    await write(client, client.main, expected, hook);
    const agents = Array.from({ length: 8 }, (_, index) => ({
      id: `agent-${index}`,
      // Half of them where the client keeps its own, half beside the repository.
      cwd: repository.addTree(`t${index}`, index % 2 === 0 ? undefined : join(repository.top, `t${index}`)),
    }));
    for (let round = 0; round < ROUNDS; round++) {
      if (round === ROUNDS / 2) {
        await client.close();
        client = await AgentClient.connect(main, { era, hook });
      }
      await Promise.all(agents.map((agent) => write(client, agent, expected, hook)));
    }
    expected.check([main, ...agents.map(({ cwd }) => cwd)]);
    await client.close();
  });
});

test('these were more than a thousand writes', () => {
  expect(writes).toBeGreaterThan(1000);
});
