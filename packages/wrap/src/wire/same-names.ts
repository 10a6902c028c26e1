/** Members of a message, and of the params of the methods of the protocol, in all revisions. */
const ENVELOPE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);
const PARAMS: ReadonlySet<string> = new Set([
  '_meta',
  'argument',
  'arguments',
  'capabilities',
  'clientInfo',
  'context',
  'cursor',
  'data',
  'elicitationId',
  'includeContext',
  'inputResponses',
  'level',
  'logger',
  'maxTokens',
  'message',
  'messages',
  'metadata',
  'mode',
  'modelPreferences',
  'name',
  'notifications',
  'progress',
  'progressToken',
  'protocolVersion',
  'reason',
  'ref',
  'requestId',
  'requestState',
  'requestedSchema',
  'stopSequences',
  'systemPrompt',
  'task',
  'taskId',
  'temperature',
  'toolChoice',
  'tools',
  'total',
  'uri',
  'url',
]);
const FOLDED: Readonly<Record<'envelope' | 'params', ReadonlySet<string>>> = {
  envelope: new Set([...ENVELOPE].map(fold)),
  params: new Set([...PARAMS].map(fold)),
};

/**
 * A member that some decoder takes for another one: its name differs from that of a second member, or of one of the
 * protocol, in letter case only. Go's `encoding/json` reads `Name` and `NAME` as `name`, and the last one wins.
 */
export function ambiguousName(names: Iterable<string>, place: 'envelope' | 'params'): string | undefined {
  const exact = place === 'envelope' ? ENVELOPE : PARAMS;
  let seen: Set<string> | undefined;
  for (const name of names) {
    if (exact.has(name)) continue;
    const folded = fold(name);
    if (FOLDED[place].has(folded) || seen?.has(folded) === true) return name;
    (seen ??= new Set()).add(folded);
  }
  return undefined;
}

/** The reason why a message with such a member is refused. */
export function ambiguity(name: string): string {
  return `the member ${JSON.stringify(name)} differs from another one in letter case only; leave it out`;
}

/** Folds letter case as Unicode does for single characters: `ſ` becomes `s`, the Kelvin sign `k`. */
function fold(name: string): string {
  return name.toLowerCase().toUpperCase().toLowerCase();
}
