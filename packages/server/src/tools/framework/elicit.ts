import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type {
  ElicitRequestFormParams,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { Consent, Era, Question, ToolContext } from './tool-context.js';

const CONFIRMATION: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Allow it' } },
  required: ['confirm'],
};

/**
 * Ends a handler that needs an answer of the user. It is not an error and never reaches the client: what surrounds the
 * handler asks (the SDK turns that into a request of its own on legacy connections), and the handler runs again.
 */
export class NeedsAnswer extends Error {
  override readonly name = 'NeedsAnswer';
  readonly #question: Question;

  constructor(question: Question) {
    super('The user is being asked; this call will be repeated');
    this.#question = question;
  }

  question(): InputRequiredResult {
    const { key, message } = this.#question;
    return inputRequired({
      inputRequests: { [key]: inputRequired.elicit({ message, requestedSchema: CONFIRMATION }) },
    });
  }
}

export function createElicit(
  ctx: ServerContext,
  era: Era,
  { server }: McpServer,
): Pick<ToolContext, 'canElicit' | 'elicit'> {
  const declared: unknown =
    era === 'modern' ? modernCapabilities(ctx.mcpReq.envelope) : server.getClientCapabilities();
  const canElicit = supportsForms(declared);
  return {
    canElicit,
    elicit: (question) => {
      if (!canElicit) return Promise.resolve('unsupported');
      const answer = inputResponse(ctx.mcpReq.inputResponses, question.key);
      if (answer.kind !== 'elicit') return Promise.reject(new NeedsAnswer(question));
      return Promise.resolve(readConsent(answer.action, answer.content));
    },
  };
}

/** Only an explicit yes is one: a form sent off with the box unticked is a no. */
function readConsent(action: 'accept' | 'decline' | 'cancel', content: unknown): Consent {
  if (action === 'cancel') return 'cancelled';
  if (action === 'decline') return 'declined';
  return isObject(content) && content['confirm'] === true ? 'accepted' : 'declined';
}

function modernCapabilities(envelope: unknown): unknown {
  return isObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
}

/** A bare `elicitation: {}` means forms; one that names only other ways to ask has none. */
function supportsForms(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined;
  if (!isObject(elicitation)) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
