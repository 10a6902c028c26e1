import type { CallToolResult } from '@modelcontextprotocol/server';
import { RootwardError } from '@rootward/core';
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

/** Where a call has changed something, which change that is. Some clients show the structured part only. */
export function withChangeId(result: CallToolResult, changeId: string | undefined): CallToolResult {
  if (changeId === undefined || result.isError === true) return result;
  const [first] = result.content;
  const text = first?.type === 'text' ? first.text : '';
  const data = { ...(result.structuredContent ?? { content: text }), changeId };
  const identified = { ...result, structuredContent: data };
  return fitsAnswerAsJson(identified, text.length) ? identified : result;
}

function tooLarge(): RootwardError {
  return new RootwardError('too-large', 'Cannot send the answer: a client could not take so much at once', {
    instruction: 'Ask for a part of it',
  });
}
