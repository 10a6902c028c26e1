import { describeRepository, GitFacts } from '@rootward/core';
import { residentMemory } from '@rootward/core/platform';
import type { RunningChild } from '@rootward/mcp/host';
import { VERSION } from '../version.js';
import type { LiveCaller, LiveProcess, LiveSession } from './live-process.js';
import { PROTOCOL } from './protocol.js';
import type { ProcessState, ShownCaller, ShownChild, ShownSession, ShownTree } from './protocol.js';

/** A server for a team has hundreds, and a page is sent all that is shown with every change. */
const MAX_SESSIONS = 100;
const MAX_ROOTS = 200;
const MAX_REJECTED = 50;
const MAX_TREES = 50;
const MAX_COMMAND_LENGTH = 500;
const MAX_LINES = 12;
const MAX_LINE_LENGTH = 300;

/** What a page is shown of a process, right now. */
export function showState(live: LiveProcess): ProcessState {
  const { transport, directory, started, sessions, limits, children, questions, caveat = '' } = live;
  const all = sessions.list();
  const trees = new TreesShown();
  return {
    protocol: PROTOCOL,
    pid: process.pid,
    version: VERSION,
    started,
    transport,
    directory,
    sessions: all
      .slice(-MAX_SESSIONS)
      .map((session) => showSession(session, sessions.callersOf(session.id), trees)),
    sessionCount: all.length,
    limits: limits.list(),
    children: children.flatMap((each) => each.list()).map(showChild),
    questions: questions.list(),
    consents: questions.standing(),
    caveat,
  };
}

function showSession(session: LiveSession, callers: readonly LiveCaller[], trees: TreesShown): ShownSession {
  const { id, era, since, view } = session;
  const { roots, trace, rejected, client: clientState } = view.snapshot();
  return {
    id,
    era,
    since,
    client: session.client(),
    clientState,
    roots: view
      .scope()
      .roots.slice(0, MAX_ROOTS)
      .map(({ path, name, access, source, broad }) => ({ path, name, access, source, broad })),
    rootCount: roots.length,
    trace: trace.map(({ source, verdict, detail }) => ({ source, verdict, detail })),
    rejected: rejected
      .slice(0, MAX_REJECTED)
      .map(({ declared, source, reason }) => ({ declared, source, reason })),
    project: projectOf(view),
    callers: callers.map(showCaller),
    trees: trees.of(roots.find(({ kind }) => kind === 'directory')?.path),
  };
}

function showCaller({ agent, directory, known, others, last }: LiveCaller): ShownCaller {
  return {
    agent: agent ?? '',
    named: agent !== undefined,
    directory: directory ?? '',
    known: known ?? '',
    others,
    last,
  };
}

/** Most clients of a server work in the same repository, which is looked up once. */
class TreesShown {
  readonly #known = new Map<string | undefined, readonly ShownTree[]>();

  of(directory: string | undefined): readonly ShownTree[] {
    const found = this.#known.get(directory) ?? treesOf(directory);
    this.#known.set(directory, found);
    return found;
  }
}

/** The main tree first. */
function treesOf(directory: string | undefined): readonly ShownTree[] {
  const repository = directory === undefined ? undefined : describeRepository(directory);
  if (repository === undefined) return [];
  const linked = new GitFacts().linkedTrees(repository.path, () => true);
  const tops = [repository.path, ...linked.map(({ top }) => top)];
  return tops.slice(0, MAX_TREES).map((path, index) => {
    const facts = describeRepository(path);
    return { path, branch: facts?.branch ?? facts?.commit?.slice(0, 12) ?? '', linked: index > 0 };
  });
}

function projectOf(view: LiveSession['view']): string | undefined {
  try {
    return view.project().name;
  } catch {
    return undefined;
  }
}

function showChild({ pid, command, about }: RunningChild): ShownChild {
  const lines = about?.lastLines?.() ?? [];
  return {
    pid,
    command: command.slice(0, MAX_COMMAND_LENGTH),
    kind: about?.kind ?? 'program',
    name: about?.name ?? '',
    sandbox: about?.sandbox ?? '',
    lastLines: lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH)),
    canRestart: about?.restart !== undefined,
    memoryKb: residentMemory(pid),
  };
}
