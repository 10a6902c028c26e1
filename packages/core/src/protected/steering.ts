import { isAbsolute, join } from 'node:path';
import { CLIENT_FILES, clientFolders } from './clients.js';
import { toPlaces, type ProtectedPlace, type Surroundings } from './place.js';

/** The rules file of a workspace. It can make the fence stricter, so nothing may change it through the fence. */
export const WORKSPACE_RULES_FILE = '.rootward.json';

/** A reason, and the paths it holds for. */
type Steering = readonly [reason: string, ...paths: string[]];

const FIXED = { protection: 'fixed', kind: 'steering', unlessNamed: false } as const;

/** Paths below any folder that make a program of the user run something, though nobody builds or runs the project. */
const AT_ANY_DEPTH: readonly Steering[] = [
  // Clients that `rootward install` does not know.
  ['Roo Code starts servers from it', '.roo/mcp.json'],
  ['Amazon Q starts servers and hooks from it', '.amazonq/mcp.json', '.amazonq/cli-agents'],
  ['Kiro starts servers and hooks from it', '.kiro/settings', '.kiro/hooks'],
  ['Trae starts servers from it', '.trae/mcp.json'],
  ['Crush starts servers from it', '.crush.json', 'crush.json'],
  [
    'Factory starts servers and hooks from it',
    '.factory/mcp.json',
    '.factory/settings.json',
    '.factory/hooks',
  ],
  ['Amp starts servers from it', '.amp/settings.json'],
  ['Augment starts servers and hooks from it', '.augment/settings.json', '.augment/settings.local.json'],
  ['Visual Studio starts servers from it', '.vs/mcp.json'],
  ['Aider runs the commands in it', '.aider.conf.yml'],
  ['OpenHands runs it when it opens the folder', '.openhands/setup.sh', '.openhands/hooks.json'],
  // Programs that run what a folder holds as soon as it is opened or entered.
  ['editors run its commands when they open the folder', '.devcontainer', '.devcontainer.json'],
  ['the shell runs it when the folder is entered', '.envrc', '.autoenv.zsh', '.autoenv'],
  [
    'the shell runs its hooks when the folder is entered',
    'mise.toml',
    '.mise.toml',
    'mise.*.toml',
    '.mise.*.toml',
    'mise/config.toml',
    '.mise',
    '.config/mise.toml',
    '.config/mise.*.toml',
    '.config/mise',
    '.rtx.toml',
    '.direnv',
  ],
  [
    'Vim runs it when it starts in the folder',
    '.exrc',
    '.vimrc',
    '.nvimrc',
    '.nvim.lua',
    '.lvimrc',
    '.lazy.lua',
  ],
  ['Emacs evaluates it when it opens a file', '.dir-locals.el', '.dir-locals-2.el'],
  ['Helix starts programs from it', '.helix'],
  ['Sublime Text starts programs from it', '*.sublime-project'],
  ['git runs programs that it names, where a repository includes it', '.gitconfig'],
  // Prompts of shells run these programs, too.
  ['Mercurial runs hooks and extensions that it names', '.hg'],
  ['Jujutsu runs programs that it names', '.jj'],
  // Hooks that are kept beside the project.
  ['git runs hooks from it', '.husky', '.githooks'],
  [
    'git runs its commands as hooks',
    '.pre-commit-config.yaml',
    'lefthook.yml',
    'lefthook.yaml',
    'lefthook.toml',
    'lefthook.json',
    '.lefthook.yml',
    '.lefthook.yaml',
    '.lefthook.toml',
    '.lefthook.json',
    '.lefthook',
  ],
];

/** The files that zsh runs, at home or in `$ZDOTDIR`. */
const ZSH: readonly string[] = ['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout'];

/** Start-up files and folders at home. */
const AT_HOME: readonly Steering[] = [
  [
    'shells run it when they start',
    '.profile',
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.bash_aliases',
    '.kshrc',
    '.mkshrc',
    '.config/fish',
    '.config/nushell',
    '.config/powershell',
    '.config/direnv',
    '.config/mise',
    'Documents/PowerShell',
    'Documents/WindowsPowerShell',
    ...ZSH,
  ],
  [
    'the session runs what it says',
    '.pam_environment',
    '.xinitrc',
    '.xprofile',
    '.xsession',
    '.xsessionrc',
    '.config/autostart',
    '.config/environment.d',
    '.config/systemd',
    '.local/share/systemd',
    '.local/share/applications',
    'Library/LaunchAgents',
    'AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup',
  ],
  ['shells look for programs there', 'bin', '.local/bin'],
  ['git runs programs that it names', '.gitconfig', '.config/git'],
  [
    'an editor runs it when it starts',
    '.vim',
    '.gvimrc',
    '.config/nvim',
    '.emacs',
    '.emacs.d',
    '.config/emacs',
    '.config/helix',
    '.nanorc',
  ],
  ['a terminal runs what it says', '.tmux.conf', '.config/tmux', '.screenrc', '.inputrc'],
  ['a debugger runs what it says', '.gdbinit', '.config/gdb', '.lldbinit'],
];

/** Variables that move a folder of the home directory. */
const MOVED: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: '.config/',
  XDG_DATA_HOME: '.local/share/',
};

/** Variables that name a file which programs obey. */
const NAMED: readonly (readonly [variable: string, reason: string])[] = [
  ['BASH_ENV', 'shells run it when they start'],
  ['ENV', 'shells run it when they start'],
  ['GIT_CONFIG_GLOBAL', 'git runs programs that it names'],
  ['PYTHONSTARTUP', 'Python runs it when it starts'],
];

/** What tools answer about everything in a git directory. */
export const GIT_REASON = 'git runs programs that files in its folders name';

function placesOf(where: ProtectedPlace['where'], table: readonly Steering[]): readonly ProtectedPlace[] {
  return table.flatMap(([reason, ...paths]) => toPlaces({ ...FIXED, where, reason }, paths));
}

function clientReason(name: string): string {
  return `${name} runs what it says`;
}

/** Everything that steers programs below any folder. */
export const STEERING_PLACES: readonly ProtectedPlace[] = [
  {
    ...FIXED,
    kind: 'rules',
    where: 'any-depth',
    path: WORKSPACE_RULES_FILE,
    reason: 'it says what is in scope',
  },
  { ...FIXED, where: 'any-depth', path: '.git', reason: GIT_REASON },
  ...Object.values(CLIENT_FILES).flatMap(({ name, project, more }) =>
    toPlaces({ ...FIXED, where: 'any-depth', reason: clientReason(name) }, [...project, ...more]),
  ),
  ...placesOf('any-depth', AT_ANY_DEPTH),
];

function at(reason: string, paths: readonly string[]): readonly ProtectedPlace[] {
  return toPlaces({ ...FIXED, where: 'at', unlessNamed: true, reason }, paths);
}

/** What steers programs of a user in fixed places: clients, shells, editors, git. */
export function userProgramPlaces(surroundings: Surroundings): readonly ProtectedPlace[] {
  const { environment, home } = surroundings;
  const folders = clientFolders(surroundings);
  const atHome = ([reason, ...paths]: Steering): readonly ProtectedPlace[] =>
    at(reason, [
      ...paths.map((path) => join(home, path)),
      ...Object.entries(MOVED).flatMap(([variable, usual]) =>
        absolute(environment[variable]).flatMap((folder) =>
          paths
            .filter((path) => path.startsWith(usual))
            .map((path) => join(folder, path.slice(usual.length))),
        ),
      ),
    ]);
  return [
    ...Object.values(CLIENT_FILES).flatMap(({ name, user, userFolders }) =>
      at(clientReason(name), [...(user?.(folders) ?? []), ...(userFolders?.(folders) ?? [])]),
    ),
    ...AT_HOME.flatMap(atHome),
    ...absolute(environment['ZDOTDIR']).flatMap((folder) =>
      at(
        'shells run it when they start',
        ZSH.map((file) => join(folder, file)),
      ),
    ),
    ...NAMED.flatMap(([variable, reason]) => at(reason, absolute(environment[variable]))),
  ];
}

function absolute(path: string | undefined): readonly string[] {
  return path !== undefined && isAbsolute(path) ? [path] : [];
}
