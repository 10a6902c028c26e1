import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import { NeedsInput } from '@rootward/mcp';
import { clientCapabilities } from './client-capabilities.js';
import type { Questions } from './questions.js';
import type { Consent, ToolContext } from './tool-context.js';

const CONFIRMATION: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Allow it' } },
  required: ['confirm'],
};

export function createElicit(
  ctx: ServerContext,
  server: McpServer,
  questions: Questions,
): Pick<ToolContext, 'canElicit' | 'elicit'> {
  const canElicit = clientCapabilities(ctx, server).forms;
  return {
    canElicit,
    elicit: async ({ key, message }) => {
      if (!canElicit) return 'unsupported';
      const answer = inputResponse(ctx.mcpReq.inputResponses, key);
      if (answer.kind === 'elicit') {
        const consent = readConsent(answer.action, answer.content);
        questions.answered(key, consent);
        return consent;
      }
      const known = questions.ask(key);
      if (known !== undefined) return known;
      throw new NeedsInput({ [key]: inputRequired.elicit({ message, requestedSchema: CONFIRMATION }) });
    },
  };
}

/** Only an explicit yes is one: a form sent off with the box unticked is a no. */
function readConsent(action: 'accept' | 'decline' | 'cancel', content: unknown): Consent {
  if (action === 'cancel') return 'cancelled';
  if (action === 'decline') return 'declined';
  return isObject(content) && content['confirm'] === true ? 'accepted' : 'declined';
}
