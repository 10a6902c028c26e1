import { render, type VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Host, type ToolResult } from './host.js';
import { Ladder } from './ladder.js';

/** What `workspace_info` returns, as far as it is shown. */
interface Info {
  readonly roots: readonly { readonly path: string; readonly access: string; readonly source: string }[];
  readonly rootCount: number;
  readonly sources: readonly { readonly source: string; readonly verdict: string; readonly detail: string }[];
  readonly rejected: readonly { readonly declared: string; readonly reason: string }[];
  readonly project?: { readonly name: string };
  readonly tree?: { readonly path: string; readonly branch?: string };
  readonly path?: {
    readonly asked: string;
    readonly inScope: boolean;
    readonly writable?: boolean;
    readonly refusal?: { readonly message: string };
  };
}

/** The small version of the page: what this session may touch, and why, inside a client. */
function Panel(): VNode {
  const [result, setResult] = useState<ToolResult | undefined>(undefined);
  const [ready, setReady] = useState(false);
  const host = useMemo(() => new Host(setResult), []);
  useEffect(() => {
    void host.open().then(() => setReady(true));
  }, [host]);
  const info = result?.structuredContent as Info | undefined;
  if (info === undefined || !Array.isArray(info.roots)) {
    const problem = result?.isError === true ? (result.content?.[0]?.text ?? 'It was refused') : undefined;
    return <p class="quiet">{problem ?? 'Waiting for the workspace'}</p>;
  }
  return (
    <main class="panel">
      <h1>{info.project?.name ?? 'No project'}</h1>
      {info.tree !== undefined && (
        <p class="quiet">
          working tree <code class="path">{info.tree.path}</code>{' '}
          {info.tree.branch !== undefined && <span class="badge">{info.tree.branch}</span>}
        </p>
      )}
      <h2>May touch</h2>
      {info.roots.length === 0 && <p class="quiet">Nothing: every path is refused.</p>}
      <ul class="roots">
        {info.roots.map(({ path, access, source }) => (
          <li key={path}>
            <code class="path">{path}</code>
            <span class={`badge ${access === 'read-only' ? 'warn' : 'good'}`}>{access}</span>
            <span class="badge">from {source}</span>
          </li>
        ))}
      </ul>
      {info.rootCount > info.roots.length && (
        <p class="quiet">and {info.rootCount - info.roots.length} more</p>
      )}
      {info.rejected.map(({ declared, reason }) => (
        <p key={declared}>
          <code class="path">{declared}</code> <span class="badge warn">{reason}</span>
        </p>
      ))}
      <details>
        <summary>Why</summary>
        <Ladder trace={info.sources} />
      </details>
      {ready && host.canCall && <AskHere host={host} onResult={setResult} />}
      {info.path !== undefined && <Verdict path={info.path} />}
    </main>
  );
}

interface AskProps {
  readonly host: Host;
  readonly onResult: (result: ToolResult) => void;
}

function AskHere({ host, onResult }: AskProps): VNode {
  const [path, setPath] = useState('');
  const [problem, setProblem] = useState('');
  // No form: a sandbox of a host may not let one be sent, and then nobody hears of it.
  const ask = (): void => {
    setProblem('');
    host.call('workspace_info', path === '' ? {} : { path }).then(onResult, (error: unknown) => {
      setProblem(error instanceof Error ? error.message : String(error));
    });
  };
  return (
    <div class="ask" role="group" aria-label="Ask about a path">
      <label>
        Path
        <input
          value={path}
          onInput={(event) => setPath(event.currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && ask()}
        />
      </label>
      <button type="button" onClick={ask}>
        May it be touched?
      </button>
      {problem !== '' && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

function Verdict({
  path: { asked, inScope, writable, refusal },
}: {
  readonly path: NonNullable<Info['path']>;
}): VNode {
  return (
    <p role="status">
      <code class="path">{asked}</code>{' '}
      <span class={`badge ${inScope ? 'good' : 'bad'}`}>{inScope ? 'allowed' : 'refused'}</span>{' '}
      {inScope ? (writable === true ? 'It may be changed.' : 'It may be read.') : refusal?.message}
    </p>
  );
}

const root = document.querySelector('#app');
if (root !== null) render(<Panel />, root);
