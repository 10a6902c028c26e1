import type { CallToolResult } from '@modelcontextprotocol/server';
import type { WorkspaceServerContext } from '@rootward/mcp';
import { CHANGE_META_KEY, watchProgram } from '../../history/watch-program.js';

/** An answer, and the change under which is noted what was changed for it. */
export interface WatchedAnswer<Result> {
  readonly answer: Result;
  readonly changeId: string | undefined;
}

/** Calls whose changes are looked for when they end; one for all servers of a process. */
export class WatchedCalls {
  readonly #running = new Set<Promise<unknown>>();

  /** Runs a program of others for a call, and keeps what it changes in the roots, also where it fails. */
  async run<Result>(
    tool: string,
    ctx: WorkspaceServerContext,
    run: () => Promise<Result>,
  ): Promise<WatchedAnswer<Result>> {
    const running = watchedCall(tool, ctx, run);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** How many are under way. */
  get size(): number {
    return this.#running.size;
  }

  /** Resolves when all that runs now is over and noted: a client that leaves takes its programs with it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

async function watchedCall<Result>(
  tool: string,
  { workspace, mcpReq: { signal } }: WorkspaceServerContext,
  run: () => Promise<Result>,
): Promise<WatchedAnswer<Result>> {
  const { history: kept } = workspace;
  if (kept === undefined) return { answer: await run(), changeId: undefined };
  const { session, principal } = kept;
  const about = { tool, session, ...(principal !== '' && { principal }) };
  const end = await watchProgram(() => kept.open(), about, await workspace.scope(), signal);
  const answer = await run().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return { answer, changeId: await end() };
}

export function withChange(result: CallToolResult, changeId: string | undefined): CallToolResult {
  if (changeId === undefined) return result;
  const { _meta: meta } = result;
  return { ...result, _meta: { ...meta, [CHANGE_META_KEY]: changeId } };
}
