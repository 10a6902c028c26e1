import type { CallToolResult } from '@modelcontextprotocol/server';
import { RootwardError } from '@rootward/core';

/** Official clients end the connection on a line of more than 10 MB; some of that is envelope. */
const LONGEST_ANSWER = 10 * 1024 * 1024 - 64 * 1024;
/** `\u0000` is what one character takes at most. */
const LONGEST_ESCAPE = 6;

/** The most a tool reads of text for one answer: escaped, that nearly always fits. */
export const MOST_TEXT_BYTES: number = 8 * 1024 * 1024;
/** The same for bytes, which grow by a third as base64. */
export const MOST_MEDIA_BYTES: number = 7 * 1024 * 1024;

/** Whether a client can take a text in one answer. */
export function fitsAnswer(text: string): boolean {
  if (text.length * LONGEST_ESCAPE <= LONGEST_ANSWER) return true;
  return Buffer.byteLength(JSON.stringify(text)) <= LONGEST_ANSWER;
}

/** The same for anything else; `characters` is at most as much as it was made of, each used twice at most. */
export function fitsAnswerAsJson(value: object, characters: number): boolean {
  if (characters * 2 * LONGEST_ESCAPE <= LONGEST_ANSWER) return true;
  return Buffer.byteLength(JSON.stringify(value)) <= LONGEST_ANSWER;
}

/** Text, sent once. A note about it goes into a block of its own, so that the first one is exactly what was asked for. */
export function textResult(text: string, note?: string): CallToolResult {
  if (!fitsAnswer(text)) throw tooLarge();
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  if (note !== undefined) content.push({ type: 'text', text: note });
  return { content };
}

/** Data for clients that show structured content, and a form in words for those that do not. */
export function dataResult(data: Record<string, unknown>, text: string, note?: string): CallToolResult {
  const result = { ...textResult(text, note), structuredContent: data };
  if (!fitsAnswerAsJson(result, text.length)) throw tooLarge();
  return result;
}

function tooLarge(): RootwardError {
  return new RootwardError('too-large', 'Cannot send the answer: a client could not take so much at once', {
    instruction: 'Ask for a part of it',
  });
}
