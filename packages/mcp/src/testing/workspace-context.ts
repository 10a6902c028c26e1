import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Callers } from '../context/callers.js';
import { PreparedWorkspace } from '../context/prepared-workspace.js';
import { viewRequest } from '../context/request-view.js';
import { LazyWorkspaceContext, type WorkspaceContext } from '../context/workspace-context.js';
import type { WorkspaceOptions } from '../context/workspace-options.js';

/** A `workspace` for a handler that is called without a server. Dispose of it after the test. */
export interface TestWorkspace extends WorkspaceContext, Disposable {}

const REQUEST = { transport: 'local', declaresRoots: false } as const;

/**
 * What a handler sees of a workspace with these roots, to call it in a test without a server or a client. Nothing of
 * the machine counts unless the options say so: neither its environment nor the directory of the process.
 */
export function workspaceContext(options: WorkspaceOptions): TestWorkspace {
  const home = join(tmpdir(), 'no-such-home');
  const prepared = new PreparedWorkspace({ environment: {}, home, hints: false, ...options });
  const callers = new Callers(prepared, () => false);
  const opened: Disposable[] = [];
  const { signal } = new AbortController();
  const context = new LazyWorkspaceContext({
    view: async () =>
      callers.place(await viewRequest(prepared, { ...REQUEST, signal }), {
        meta: undefined,
        client: undefined,
        transport: REQUEST.transport,
        came: callers.arrive(),
      }),
    live: async () => {
      const workspace = await prepared.open(REQUEST.transport);
      opened.push(workspace);
      return workspace;
    },
    handle: (_view, roots) => (roots === undefined ? undefined : prepared.handles.mint(roots, '')),
    treeHandle: (view, directory) => callers.mintForTree(view, directory, REQUEST.transport, ''),
  });
  return Object.assign(context, {
    [Symbol.dispose]: () => {
      for (const workspace of opened.splice(0)) workspace[Symbol.dispose]();
    },
  });
}
