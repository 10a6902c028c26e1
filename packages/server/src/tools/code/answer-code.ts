import type { CallToolResult } from '@modelcontextprotocol/server';
import { ERROR_META_KEY } from '@rootward/mcp';
import type { ToolContext } from '../framework/tool-context.js';
import type { Session } from '../../languages/language-support.js';

/** Answers a question about code; what keeps a language server from it is told as a failure of the tool. */
export function answerCode(
  context: ToolContext,
  act: (session: Session) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return context.languages.use(context, async (session) => {
    try {
      return await act(session);
    } catch (error) {
      if (!(error instanceof session.library.RootwardLspError)) throw error;
      const { code, message, instruction = OTHERWISE } = error;
      return {
        content: [{ type: 'text', text: `${message}\n${instruction}` }],
        isError: true,
        _meta: { [ERROR_META_KEY]: { error_type: code.replaceAll('-', '_'), message, instruction } },
      };
    }
  });
}

const OTHERWISE = 'Use search_content and read_text_file instead';

/** What a text form adds where an answer may lack something. */
export function caveats(answer: {
  readonly complete?: boolean;
  readonly outside?: number;
  readonly notes?: readonly string[];
}): string {
  const notes = [
    ...(answer.complete === false
      ? ['may be incomplete: not every file was seen; ask again if the language server has only just started']
      : []),
    ...(answer.outside === undefined || answer.outside === 0
      ? []
      : [`${answer.outside} outside the roots, not shown`]),
    ...(answer.notes ?? []),
  ];
  return notes.map((note) => `\n[${note}]`).join('');
}
