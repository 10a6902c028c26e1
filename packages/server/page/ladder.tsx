import type { VNode } from 'preact';

interface Props {
  readonly trace: readonly { readonly source: string; readonly verdict: string; readonly detail: string }[];
}

/** The places roots can come from, in their order: which one was used, and what the others said. */
export function Ladder({ trace }: Props): VNode {
  return (
    <ol class="ladder">
      {trace.map(({ source, verdict, detail }) => (
        <li key={source} class={verdict === 'used' ? 'used' : 'unused'}>
          <strong>{source}</strong>
          <span class="said">
            {verdict !== 'absent' && <span class="badge">{verdict}</span>} {detail}
          </span>
        </li>
      ))}
    </ol>
  );
}
