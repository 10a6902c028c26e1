import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBackends, openSandbox, type Sandbox } from '@rootward/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const working = new Set(
  (await findBackends()).flatMap(({ name, backend }) => (backend === undefined ? [] : [name])),
);
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(REPOSITORY, 'packages/server/dist/rootward.cjs');
const EXAMPLE = join(REPOSITORY, 'examples/tools-project/check.mjs');
/** Those that need no network, and start no sandbox of their own. */
const EXAMPLES = ['fence-tour/tour.mjs', 'server-v1/client.mjs', 'server-v2/client.mjs'];

/** What must go on working at level strict: the program it needs, and what shows that it works. */
const WORKS: Readonly<Record<string, readonly [program: string, script: string]>> = {
  'git: a repository, a commit and a clone': [
    'git',
    'git init -q r && cd r && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -qm one && git clone -q . ../clone && git -C ../clone log --oneline | grep one',
  ],
  'git: a worktree and a stash': [
    'git',
    'git init -q w && cd w && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git worktree add -q ../w2 && git -C ../w2 status --short && git worktree list | grep w2',
  ],
  'Python: files, processes, threads and pipes': [
    'python3',
    `python3 -c "import json, subprocess, tempfile, threading; t = threading.Thread(target=lambda: open('t', 'w').write('x')); t.start(); t.join(); assert open('t').read() == 'x'; assert subprocess.check_output(['echo', 'y']) == b'y\\n'; tempfile.NamedTemporaryFile().write(b'z')"`,
  ],
  'Python: certificates and time zones': [
    'python3',
    `python3 -c "import ssl, zoneinfo; assert ssl.create_default_context().get_ca_certs(); zoneinfo.ZoneInfo('Europe/Berlin')"`,
  ],
  'Node: files, workers, children and pipes': [
    'node',
    `node -e "const { Worker } = require('worker_threads'); const cp = require('child_process'); require('fs').writeFileSync('n', 'x'); if (cp.execFileSync('echo', ['y']).toString() !== 'y\\n') throw 1; new Worker('require(\\"worker_threads\\").parentPort.postMessage(1)', { eval: true }).once('message', () => { const c = cp.fork('-e', [], { execArgv: ['-e', 'process.send(1)'] }); c.once('message', () => c.disconnect()); })"`,
  ],
  'Node: certificates and time zones': [
    'node',
    `TZ=Asia/Tokyo node -e "if (new Date(0).getHours() !== 9 || require('tls').rootCertificates.length === 0) throw 1"`,
  ],
  'bash: substitutions, documents and standard devices': [
    'bash',
    'diff <(echo a) <(echo a) && cat <<< b > /dev/null && { echo c > /dev/stderr && echo d > /dev/stdout; } 2>&1 | cat && echo e | cat /dev/stdin && head -c 8 /dev/urandom > r8',
  ],
  'a compiler and what it made': [
    'cc',
    `printf '#include <stdio.h>\\nint main(void) { puts("made"); }' > m.c && cc m.c -o m && ./m | grep made`,
  ],
  'time zones': ['date', `[ "$(TZ=Europe/Berlin date -d @0 +%H)" = 01 ]`],
  locales: ['locale', 'LC_ALL=C.UTF-8 locale charmap | grep UTF-8'],
  certificates: ['openssl', 'openssl x509 -in "$(ls -d /etc/ssl/certs/*.pem | head -1)" -noout -subject'],
  'temporary files': ['mktemp', 'f=$(mktemp) && echo x > "$f" && d=$(mktemp -d) && cp "$f" "$d"'],
  jq: ['jq', `[ "$(jq -n '{a: 1} | .a')" = 1 ]`],
  'names of users': ['getent', 'getent passwd root | grep root && whoami && [ -n "$(hostname)" ]'],
  'its own process': ['grep', 'grep -q Name /proc/self/status && [ -e /proc/self/exe ] && nproc'],
  'archives and text tools': [
    'tar',
    'echo x > a1 && tar -czf a.tgz a1 && tar -xzOf a.tgz | sed s/x/y/ | awk "{ print \\$1 }" | sort | grep y',
  ],
  'links, modes and moves inside a root': [
    'ln',
    'mkdir -p d1 d2 && echo x > d1/f && ln -s d1/f s && ln d1/f h && chmod 700 d1/f && mv d1/f d2/f && rm -r d1 && cat h',
  ],
  'perl and find': ['perl', `perl -e 'print "x\\n"' && find . -name '*' -maxdepth 1 | head -1`],
};

let base: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync('/var/tmp/rootward-works-'));
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

function isThere(program: string): boolean {
  return spawnSync('/bin/sh', ['-c', `command -v ${program}`]).status === 0;
}

describe.each(['bubblewrap', 'landlock'] as const)('At level strict with %s', (backend) => {
  let sandbox: Sandbox | undefined;

  beforeAll(async () => {
    sandbox = working.has(backend) ? await openSandbox({ level: 'strict', backend }) : undefined;
  });

  afterAll(() => sandbox?.dispose());

  function run(command: string, args: readonly string[], read: readonly string[] = []): void {
    const root = mkdtempSync(join(base, 'root-'));
    const roots = [{ path: root, kind: 'directory', access: 'read-write', broad: false }] as const;
    using child = sandbox!.child(sandbox!.plan({ roots, program: command, profile: { read } }));
    const start = child.command({
      command,
      args,
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', HOME: '/', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { status, stdout, stderr } = spawnSync(start.command, start.args, { ...start, encoding: 'utf8' });
    start.spawned();
    const said = status === 0 ? '' : stdout + stderr;
    expect({ status, said }).toEqual({ status: 0, said: '' });
  }

  for (const [name, [program, script]] of Object.entries(WORKS)) {
    test.skipIf(!working.has(backend) || !isThere(program))(`${name} works`, () =>
      run('/bin/bash', ['-c', `set -o pipefail; ${script}`]),
    );
  }

  test.skipIf(!working.has(backend)).each(EXAMPLES)('the example %s ends as it announces', (example) =>
    run(process.execPath, [join(REPOSITORY, 'examples', example)], [REPOSITORY]),
  );

  test.skipIf(!working.has(backend))('the example of a tools project ends as it announces', () => {
    const env = { ...process.env, ROOTWARD_SANDBOX: 'strict', ROOTWARD_SANDBOX_BACKENDS: backend };
    const { status, stdout } = spawnSync(process.execPath, [EXAMPLE], { encoding: 'utf8', env });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('allowed') });
  });

  test.skipIf(!working.has(backend))('the project tests of init --tools succeed, in every language', () => {
    const project = join(base, `tools-${backend}`);
    const env = {
      ...process.env,
      ROOTWARD: `${process.execPath} ${PROGRAM}`,
      ROOTWARD_SANDBOX: 'strict',
      ROOTWARD_SANDBOX_BACKENDS: backend,
    };
    spawnSync(process.execPath, [PROGRAM, 'init', '--tools', project], { env });
    const { status, stdout } = spawnSync('/bin/bash', [join(project, 'test/run.sh')], {
      encoding: 'utf8',
      env,
    });
    const said = ['node', 'python', 'shell'].map((language) => `ok hello-${language}\n`).join('');
    expect({ status, stdout }).toEqual({ status: 0, stdout: said });
  });
});
