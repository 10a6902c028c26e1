/** A command line that can be copied into a shell where `rootward` is on PATH. */
export interface Example {
  readonly run: string;
  readonly does: string;
}

/** The same where this program is started by `own`. */
export function asTyped(run: string, own: string): string {
  return run.replaceAll(/(?<![\w./-])rootward(?= |$)/g, () => own);
}

/** By command; those of the program itself under the empty name. A test runs them all. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  '': [
    { run: 'rootward install --client cursor --dry-run', does: 'what it would write into your client' },
    { run: 'rootward config --client cursor', does: 'what to paste into your client' },
    { run: 'rootward doctor', does: 'what it finds on this machine' },
    { run: 'rootward . --http', does: 'serve this folder over HTTP' },
  ],
  serve: [
    { run: 'rootward', does: 'serve the folders of the client' },
    { run: 'rootward . --client-roots add', does: 'this folder too' },
    { run: 'rootward --within . --read-only', does: 'at most this folder, and no changes' },
    { run: 'rootward . --http 7421', does: 'over HTTP, on port 7421' },
  ],
  wrap: [
    { run: 'rootward wrap -- node server.js', does: 'in the first folder of the client' },
    {
      run: 'rootward wrap --within . -- node server.js {roots}',
      does: 'its folders as arguments, at most this one',
    },
  ],
  roots: [
    { run: 'rootward roots', does: 'what a server started here would see' },
    { run: 'rootward roots src docs --json', does: 'with these folders named, for scripts' },
  ],
  contains: [
    { run: 'rootward contains src/new.ts --root .', does: 'in scope, though it does not exist yet' },
    { run: 'rootward contains .. --root . || echo no', does: 'out of scope: exit code 1' },
  ],
  history: [
    { run: 'rootward history --since 2h', does: 'what was changed here in the last two hours' },
    { run: 'rootward history . --path src --json', does: 'in one folder, for scripts' },
    { run: 'rootward history prune', does: 'enforce the bounds now' },
  ],
  undo: [
    { run: 'rootward undo --since 10m --dry-run', does: 'what would be restored' },
    { run: 'rootward undo --since 10m', does: 'take back the changes of the last ten minutes' },
  ],
  doctor: [
    { run: 'rootward doctor .', does: 'with this folder named' },
    { run: 'rootward doctor --json', does: 'for scripts, and for reports' },
  ],
  validate: [
    { run: 'rootward validate rootward.json', does: 'one file' },
    { run: 'rootward validate --project my-tools', does: 'everything, with the tools of a project' },
  ],
  sandbox: [
    { run: 'rootward sandbox . --explain', does: 'what a command may touch' },
    { run: 'rootward sandbox . --level auto -- ls', does: 'run one' },
  ],
  'run-tool': [
    { run: 'rootward run-tool --list --project my-tools', does: 'which tools there are' },
    {
      run: `rootward run-tool hello-shell --project my-tools --args '{"name":"you"}'`,
      does: 'run one',
    },
    {
      run: 'rootward run-tool hello-node --project my-tools --args @args.json',
      does: 'with arguments from a file',
    },
  ],
  init: [
    { run: 'rootward init', does: 'a configuration file for all you serve' },
    { run: 'rootward init --tools new-tools', does: 'a tools project' },
  ],
  settings: [
    { run: 'rootward settings', does: 'what you keep about this folder' },
    { run: `rootward settings --deny '*.key' private --read-only`, does: 'tighten it' },
  ],
  config: [
    { run: 'rootward config --client claude-code', does: 'for a client that names its folders' },
    { run: 'rootward config --client claude-desktop ~/code/app', does: 'with a folder named' },
    {
      run: 'rootward config --client vscode --url http://127.0.0.1:7420/mcp',
      does: 'for a server that runs',
    },
  ],
  install: [
    { run: 'rootward install --client claude-code --dry-run', does: 'show what would change' },
    { run: 'rootward install --client codex --yes', does: 'write it, for all projects' },
    { run: 'rootward install --client vscode --scope project --yes', does: 'for this project' },
    {
      run: 'rootward install --client cursor --name git --dry-run -- uvx mcp-server-git',
      does: 'a server of others, wrapped',
    },
  ],
  uninstall: [{ run: 'rootward uninstall --client codex --yes', does: 'take it out again' }],
  demo: [{ run: 'rootward demo', does: 'see it work' }],
  ui: [{ run: 'rootward ui', does: 'show running servers on a page of this machine' }],
  revoke: [
    {
      run: 'rootward revoke --session 3c9f0e6a-5b1d-4a62-9c0e-7d2f8b41e6a5',
      does: 'end a session everywhere',
    },
    { run: 'rootward revoke --principal 5994471abb01112a --lift', does: 'let it in again' },
  ],
  completion: [
    { run: 'source <(rootward completion bash)', does: 'for this shell, in bash' },
    { run: 'rootward completion fish | source', does: 'the same in fish' },
    { run: 'rootward completion bash > ~/.rootward.bash', does: 'to be sourced by ~/.bashrc' },
  ],
};
