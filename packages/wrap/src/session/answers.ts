import { RootwardError } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { ERROR_META_KEY } from '@rootward/mcp/host';
import { RawMessage } from '../wire/raw-message.js';

/** Why a request is answered by us and not by the server. */
export interface Refusal {
  /** Stable, for programs. */
  readonly type: string;
  readonly message: string;
  readonly instruction: string;
}

const INTERNAL_ERROR = -32_603;
const INVALID_PARAMS = -32_602;

/** As in a rootward server: a model is told what to do, where the folders are not known. */
export const NO_ROOTS: Refusal = {
  type: 'no_project',
  message: 'Project context not available. No folder is known that the server may work in.',
  instruction:
    'Ask the user to open a folder in the client, or to name one in its configuration: --root DIR after "wrap"',
};

export function hiddenTool(name: string): Refusal {
  return {
    type: 'hidden_tool',
    message: `Cannot call ${JSON.stringify(name)}: the operator has hidden this tool`,
    instruction: 'Use one of the listed tools',
  };
}

export function lostCall(message: string): Refusal {
  return {
    type: 'server_ended',
    message: `Cannot finish the request: ${message}`,
    instruction: 'Try again; if it keeps failing, tell the user',
  };
}

/** Why a request did not get to the server; what the library itself refuses has its own reason. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof RootwardError)) {
    const lost = lostCall(error instanceof Error ? error.message : String(error));
    // Such as that of a sandbox which cannot be made: trying again would not help.
    const instruction: unknown = isObject(error) ? error['instruction'] : undefined;
    return typeof instruction === 'string' ? { ...lost, instruction } : lost;
  }
  const { code, message, instruction = 'Tell the user' } = error;
  return { type: code.replaceAll('-', '_'), message, instruction };
}

/** The answer to a request that is not passed on: a result that a model reads for tools, an error for the rest. */
export function refuse(id: string, method: string, refusal: Refusal): readonly Buffer[] {
  const { type, message, instruction } = refusal;
  if (method !== 'tools/call') {
    const code = type === 'server_ended' ? INTERNAL_ERROR : INVALID_PARAMS;
    return answer(id, { error: { code, message: `${message}. ${instruction}`, data: { error_type: type } } });
  }
  return answer(id, {
    result: {
      content: [{ type: 'text', text: `${message}\n${instruction}` }],
      isError: true,
      _meta: { [ERROR_META_KEY]: { error_type: type, message, instruction } },
    },
  });
}

export function fail(id: string, code: number, message: string): readonly Buffer[] {
  return answer(id, { error: { code, message } });
}

function answer(id: string, body: object): readonly Buffer[] {
  return RawMessage.from({ id: 0, ...body }).withId(id);
}
