import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { say } from './channel.js';

/** What a user answered. `content` is there where the action is `accept`; `error` means that no answer came. */
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel' | 'error';
  readonly content: Readonly<Record<string, unknown>> | null;
}

/** A value, and what the user reads in its place. */
export type TitledChoice = readonly [value: string, title: string];

const DEFAULT_TIMEOUT_SECS = 600;
const LOOK_MS = 50;
const DECLINED: ElicitAnswer = { action: 'decline', content: null };
const UNANSWERED: ElicitAnswer = { action: 'error', content: null };
let asked = 0;

/** Asks the user for what a JSON schema describes; declined where the client cannot ask. */
export function elicit(
  message: string,
  schema: object,
  timeoutSecs: number = DEFAULT_TIMEOUT_SECS,
): Promise<ElicitAnswer> {
  return ask({ mode: 'form', message, schema }, timeoutSecs);
}

/** Asks the user to open an address; nothing they enter there passes through the client. */
export function elicitUrl(
  message: string,
  url: string,
  timeoutSecs: number = DEFAULT_TIMEOUT_SECS,
): Promise<ElicitAnswer> {
  return ask({ mode: 'url', message, url }, timeoutSecs);
}

/** A line of text, in `content` under the name of the field. */
export function elicitString(message: string, field = 'value'): Promise<ElicitAnswer> {
  return elicit(message, object(field, { type: 'string' }));
}

/** Yes or no, in `content.confirmed`. */
export function elicitConfirm(message: string): Promise<ElicitAnswer> {
  return elicit(message, object('confirmed', { type: 'boolean' }));
}

/** One of several, in `content.choice`. */
export function elicitChoice(message: string, choices: readonly string[]): Promise<ElicitAnswer> {
  return elicit(message, object('choice', { type: 'string', enum: choices }));
}

/** One of several that are shown by their titles, in `content.choice`. */
export function elicitTitledChoice(message: string, choices: readonly TitledChoice[]): Promise<ElicitAnswer> {
  return elicit(message, object('choice', { type: 'string', oneOf: choices.map(titled) }));
}

/** Any of several, in `content.choices`. */
export function elicitMultiChoice(message: string, choices: readonly string[]): Promise<ElicitAnswer> {
  return elicit(message, object('choices', { type: 'array', items: { type: 'string', enum: choices } }));
}

/** Any of several that are shown by their titles, in `content.choices`. */
export function elicitTitledMultiChoice(
  message: string,
  choices: readonly TitledChoice[],
): Promise<ElicitAnswer> {
  return elicit(message, object('choices', { type: 'array', items: { anyOf: choices.map(titled) } }));
}

function object(field: string, schema: object): object {
  return { type: 'object', properties: { [field]: schema }, required: [field] };
}

function titled([value, title]: TitledChoice): object {
  return { const: value, title };
}

async function ask(question: object, timeoutSecs: number): Promise<ElicitAnswer> {
  const { MCP_ELICIT_SUPPORTED: supported, MCP_ELICIT_RESPONSE_FILE: start } = process.env;
  if (supported !== '1' || start === undefined) return DECLINED;
  asked += 1;
  const id = `${process.pid}-${asked}`;
  if (!say({ type: 'elicit', id, ...question })) return UNANSWERED;
  const file = `${start}.${id}`;
  const deadline = Date.now() + timeoutSecs * 1000;
  while (!existsSync(file)) {
    if (Date.now() > deadline) return UNANSWERED;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the server that started the tool
  const answer = JSON.parse(readFileSync(file, 'utf8')) as ElicitAnswer;
  unlinkSync(file);
  return answer;
}
