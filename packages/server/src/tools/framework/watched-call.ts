import type { CallToolResult } from '@modelcontextprotocol/server';
import type { WorkspaceServerContext } from '@rootward/mcp';
import { CHANGE_META_KEY, watchProgram } from '../../history/watch-program.js';

/** Runs a program of others for a call, and keeps what it changes in the roots, also where it fails. */
export async function watchedCall<Result>(
  tool: string,
  { workspace, mcpReq: { signal } }: WorkspaceServerContext,
  run: () => Promise<Result>,
): Promise<{ readonly answer: Result; readonly changeId: string | undefined }> {
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
