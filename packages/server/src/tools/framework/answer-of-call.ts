import type { CallToolResult } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import type { WorkspaceContext } from '@rootward/mcp';
import { ERROR_META_KEY, reportError, type ErrorReport } from '@rootward/mcp/host';
import { fitsAnswerAsJson } from '../../answer-size.js';

/** The part of a workspace that knows whether the call changed something. */
type CallWorkspace = Pick<WorkspaceContext, 'changed' | 'history'>;

/** The answer of a call. It is an error if and only if nothing was changed. */
export function answerOf(result: CallToolResult, workspace: CallWorkspace): CallToolResult {
  if (workspace.changed !== true) return result;
  if (result.isError === true) return answerToReport(reportIn(result), workspace);
  const { structuredContent: data } = result;
  return markChanged(result, isObject(data) ? data : { content: textOf(result) }, workspace);
}

/** The answer of a call that failed after it had changed something. */
export function answerToFailure(error: unknown, workspace: CallWorkspace): CallToolResult {
  const report = reportError(error) ?? plainReport(error instanceof Error ? error.message : String(error));
  return answerToReport(report, workspace);
}

/** Says that something was changed before it says what failed: an error would be taken for a call that did nothing. */
function answerToReport(error: ErrorReport, workspace: CallWorkspace): CallToolResult {
  const id = workspace.history?.changeId;
  const text = [
    `changed: true, ${id === undefined ? 'not kept in the history' : `changeId: ${id}`}`,
    `Something was changed, and then the call failed: ${error.message}`,
    error.instruction,
    'Look at what is there now before you go on',
  ].join('\n');
  return markChanged({ content: [{ type: 'text', text }] }, { error }, workspace);
}

/** Some clients show the structured part only, so it has everything. */
function markChanged(
  result: CallToolResult,
  data: Readonly<Record<string, unknown>>,
  { history }: CallWorkspace,
): CallToolResult {
  const changeId = history?.changeId;
  const structuredContent = { changed: true, ...(changeId !== undefined && { changeId }), ...data };
  const answer = { ...result, structuredContent };
  return fitsAnswerAsJson(answer, textOf(result).length) ? answer : result;
}

function textOf({ content }: CallToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** What a result says that was an error. */
function reportIn(result: CallToolResult): ErrorReport {
  const { _meta: meta } = result;
  const report: unknown = meta?.[ERROR_META_KEY];
  return isReport(report) ? report : plainReport(textOf(result));
}

function isReport(value: unknown): value is ErrorReport {
  return isObject(value) && typeof value['message'] === 'string' && typeof value['instruction'] === 'string';
}

function plainReport(message: string): ErrorReport {
  return { error_type: 'failed', message, instruction: 'If this happens again, tell the user' };
}
