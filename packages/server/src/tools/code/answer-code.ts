import type { CallToolResult } from '@modelcontextprotocol/server';
import { ERROR_META_KEY } from '@rootward/mcp';
import type { ToolContext } from '../framework/tool-context.js';
import { withNotes } from '../framework/results.js';
import type { Session } from '../../languages/language-support.js';

/** Answers a question about code; what keeps a language server from it is told as a failure of the tool. */
export function answerCode(
  context: ToolContext,
  act: (session: Session) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return context.languages.use(context, async (session) => {
    try {
      return withShortfalls(await act(session), session);
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

/** A sandbox that cannot hide denied files from a server is told with every answer. */
function withShortfalls(result: CallToolResult, { code }: Session): CallToolResult {
  const notes = code.servers
    .status()
    .flatMap(({ server, shortfall }) =>
      shortfall === undefined ? [] : [`[${server} is not held to every rule: ${shortfall}]`],
    );
  return withNotes(result, notes);
}

const OTHERWISE = 'Use search_content and read_text_file instead';

/** Notes of an answer, marked where a parser gave it. */
export function fromSyntax(from: 'syntax' | undefined, notes: readonly string[]): readonly string[] {
  return from === undefined ? notes : [`from: "${from}"`, ...notes];
}

interface Answer {
  readonly complete?: boolean;
  readonly outside?: number;
  readonly notes?: readonly string[];
}

/** What a text form adds where an answer may lack something. */
export function caveats(answer: Answer): string {
  return caveatsOf(answer)
    .map((note) => `\n[${note}]`)
    .join('');
}

/** The same as a list. What is missing is said with its reason, where one is known. */
export function caveatsOf({ complete, outside = 0, notes = [] }: Answer): readonly string[] {
  return [
    ...(complete === false
      ? [
          notes.length > 0
            ? 'may be incomplete'
            : 'may be incomplete: not every file was seen; ask again later',
        ]
      : []),
    ...(outside === 0 ? [] : [`${outside} outside the roots, not shown`]),
    ...notes,
  ];
}
