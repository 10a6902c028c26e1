import { isObject } from '@rootward/core/platform';
import { RawMessage } from '../wire/raw-message.js';

/** Something that a server of the modern era wants to know before it answers a call. */
export interface Question {
  /** Its name in the result that asks. */
  readonly key: string;
  /** As a server of the legacy era would ask it. */
  readonly request: RawMessage;
  answer: RawMessage | undefined;
}

/** Questions have ids that the server knows nothing of. */
const PREFIX = '"round-';

/** The id under which a call is repeated; its own the first time. */
export function roundId(id: string, round: number): string {
  return round === 0 ? id : `"${id}-${String(round)}"`;
}

/** Whether an answer with this id is one to a question that was made here. */
export function isAnswerToQuestion({ id }: RawMessage): boolean {
  return id?.startsWith(PREFIX) === true;
}

/** What a result asks, by the ids of the questions. Leaves out what is not a request: nobody could be asked. */
export function questionsIn(result: RawMessage, call: string, round: number): Map<string, Question> {
  const wanted: unknown = result.value('result', 'inputRequests');
  const questions = new Map<string, Question>();
  for (const [index, key] of Object.keys(isObject(wanted) ? wanted : {}).entries()) {
    const id = `${PREFIX}${call}-${String(round)}-${String(index)}"`;
    const text = result.raw('result', 'inputRequests', key) ?? '{}';
    const request = RawMessage.read(Buffer.from(`{"jsonrpc":"2.0","id":${id},${text.trim().slice(1)}`));
    if (request?.kind === 'request') questions.set(id, { key, request, answer: undefined });
  }
  return questions;
}

/** The member `inputResponses`. What was refused is left out: the server sees that nobody answered. */
export function responsesTo(questions: Iterable<Question>): string {
  const members = [...questions].flatMap(({ key, answer }) => {
    const result = answer?.raw('result');
    return result === undefined ? [] : [`${JSON.stringify(key)}:${result}`];
  });
  return `{${members.join(',')}}`;
}

/** Whether the client answered something. The roots are not its to answer. */
export function isFruitful(questions: Iterable<Question>): boolean {
  return [...questions].some(
    ({ request, answer }) => request.method !== 'roots/list' && answer?.isError === false,
  );
}
