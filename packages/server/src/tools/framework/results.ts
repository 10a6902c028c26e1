import type { CallToolResult } from '@modelcontextprotocol/server';
import { RootwardError } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { fitsAnswer, fitsAnswerAsJson } from '../../answer-size.js';

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

/** The same answer with more to say, as text and in the structured part, where it has one. */
export function withNotes(result: CallToolResult, notes: readonly string[]): CallToolResult {
  if (notes.length === 0) return result;
  const content: CallToolResult['content'] = [...result.content, { type: 'text', text: notes.join('\n') }];
  const { structuredContent: data } = result;
  if (!isObject(data)) return { ...result, content };
  const before: unknown = data['notes'];
  const all = [...(Array.isArray(before) ? before : []), ...notes];
  return { ...result, content, structuredContent: { ...data, notes: all } };
}

function tooLarge(): RootwardError {
  return new RootwardError('too-large', 'Cannot send the answer: a client could not take so much at once', {
    instruction: 'Ask for a part of it',
  });
}
