import type { Edit, RawMessage } from '../wire/raw-message.js';

/** Clients by this name say where a call works, if a server advertises that it listens. */
const CODEX = /codex/i;
const SANDBOX_CAPABILITY = 'codex/sandbox-state-meta';

/** Tells the caller that the state of the server is lost. Empty if the answer has no place for it. */
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

/** Under which id what the call changed was noted. */
export function changeEdits(answer: RawMessage, changeId: string | undefined): readonly Edit[] {
  if (changeId === undefined) return [];
  return setDeep(answer, ['result', '_meta'], 'rootward/changeId', JSON.stringify(changeId));
}

/** The capability that makes Codex send its directory. */
export function sandboxEdits(answer: RawMessage, client: string | undefined): readonly Edit[] {
  if (!CODEX.test(client ?? '')) return [];
  return setDeep(answer, ['result', 'capabilities', 'experimental'], SANDBOX_CAPABILITY, '{}');
}

/** Sets a member of an object, which is made where there is none. */
function setDeep(
  answer: RawMessage,
  path: readonly [string, ...string[]],
  name: string,
  text: string,
): readonly Edit[] {
  return answer.span(...path) === undefined
    ? answer.set(path, `{${JSON.stringify(name)}:${text}}`)
    : answer.set([...path, name], text);
}
