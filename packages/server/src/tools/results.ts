import type { CallToolResult } from '@modelcontextprotocol/server';

/** Text, sent once. A note about it goes into a block of its own, so that the first one is exactly what was asked for. */
export function textResult(text: string, note?: string): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  if (note !== undefined) content.push({ type: 'text', text: note });
  return { content };
}

/** Data for clients that show structured content, and a form in words for those that do not. */
export function dataResult(data: Record<string, unknown>, text: string, note?: string): CallToolResult {
  return { ...textResult(text, note), structuredContent: data };
}
