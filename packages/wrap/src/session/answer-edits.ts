import type { Edit, RawMessage } from '../wire/raw-message.js';

const SANDBOX_CAPABILITY = 'codex/sandbox-state-meta';

/** Whoever calls should know that what the server remembered is gone. Empty where the answer has no room for it. */
export function crashNote(answer: RawMessage, reason: string): readonly Edit[] {
  const content = answer.span('result', 'content');
  if (content === undefined || answer.bytes[content.end - 1] !== ']'.charCodeAt(0)) return [];
  const text = JSON.stringify({
    type: 'text',
    text: `Note: ${reason}, and was started again before this call`,
  });
  const isEmpty = answer.bytes.toString('latin1', content.start + 1, content.end - 1).trim() === '';
  return [{ start: content.end - 1, end: content.end - 1, text: isEmpty ? text : `,${text}` }];
}

/** What makes Codex say where it works. */
export function sandboxEdits(answer: RawMessage): readonly Edit[] {
  const path = ['result', 'capabilities', 'experimental'] as const;
  const name = JSON.stringify(SANDBOX_CAPABILITY);
  return answer.span(...path) === undefined
    ? answer.set([...path], `{${name}:{}}`)
    : answer.set([...path, SANDBOX_CAPABILITY], '{}');
}
