import type { ServerDefinition } from './definition.js';

const SCRIPTS = {
  '.ts': 'typescript',
  '.mts': 'typescript',
  '.cts': 'typescript',
  '.tsx': 'typescriptreact',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascriptreact',
} as const;
const SCRIPT_MARKERS = ['tsconfig.json', 'jsconfig.json', 'package.json'] as const;
/** In double quotes or backticks, and long numbers. Modules are named by paths, which are looked at elsewhere. */
const SCRIPT_LITERALS = /import\("[^"\n]*"\)|"(?:[^"\\\n]|\\.)+"|`[^`\n]+`|\b\d{4,}\b/g;
const PYTHON = { '.py': 'python', '.pyi': 'python' } as const;
const PYTHON_MARKERS = ['pyrightconfig.json', 'pyproject.toml', 'setup.py', 'setup.cfg'] as const;
const PYTHON_READY = /^(?:Found \d+ source files?|No source files found)/;
/** Of `Literal['a', 1234]` what is in quotes, and long numbers. */
const PYTHON_LITERALS = /(?<=Literal\[[^\]]{0,400})'(?:[^'\\\n]|\\.)+'|(?<=Literal\[[^\]]{0,400})\b\d{4,}\b/g;
const MAX_CLANGD_SYMBOLS = 10_000;
const PYTHON_VARIABLES = ['VIRTUAL_ENV', 'CONDA_PREFIX'] as const;
const BUILDS = 'it runs the build of the project to understand it';

/**
 * Left to itself, a rename in a file that imports the symbol gives it another name in that file alone, and types are
 * fetched from the network with npm.
 */
const SCRIPT_SETTINGS = {
  typescript: {
    preferences: { useAliasesForRenames: false },
    disableAutomaticTypeAcquisition: true,
  },
  javascript: { preferences: { useAliasesForRenames: false } },
  'js/ts': { tsserver: { automaticTypeAcquisition: { enabled: false } } },
};

/** What we know how to start, per language the preferred one first. */
export const knownServers: readonly ServerDefinition[] = [
  {
    name: 'typescript',
    isTested: true,
    language: 'TypeScript and JavaScript',
    extensions: SCRIPTS,
    commands: ['tsc'],
    program: 'typescript-native',
    args: ['--lsp', '--stdio'],
    install: 'npm install -g typescript@7',
    folders: 'file-driven',
    answersInOrder: true,
    maxSymbols: 256,
    markers: SCRIPT_MARKERS,
    settings: SCRIPT_SETTINGS,
    literals: SCRIPT_LITERALS,
  },
  {
    name: 'typescript-language-server',
    isTested: true,
    language: 'TypeScript and JavaScript',
    extensions: SCRIPTS,
    commands: ['typescript-language-server'],
    args: ['--stdio'],
    install: 'npm install -g typescript-language-server typescript@5',
    folders: 'file-driven',
    answersInOrder: true,
    markers: SCRIPT_MARKERS,
    // Left to itself it runs the TypeScript of the workspace and downloads type packages.
    companion: { module: 'typescript/lib/tsserver.js', option: ['tsserver', 'path'] },
    initializationOptions: {
      disableAutomaticTypingAcquisition: true,
      plugins: [],
      // As `SCRIPT_SETTINGS` for the other one.
      preferences: { providePrefixAndSuffixTextForRename: false },
    },
    literals: SCRIPT_LITERALS,
  },
  {
    name: 'pyright',
    isTested: true,
    language: 'Python',
    extensions: PYTHON,
    commands: ['pyright-langserver'],
    args: ['--stdio'],
    install: 'npm install -g pyright',
    folders: 'per-root',
    // With another root beside, it resolves imports in files that `include` leaves out to installed copies.
    mixesFolders: true,
    maxSymbols: Number.POSITIVE_INFINITY,
    markers: PYTHON_MARKERS,
    inherits: PYTHON_VARIABLES,
    ready: PYTHON_READY,
    literals: PYTHON_LITERALS,
  },
  {
    name: 'basedpyright',
    language: 'Python',
    extensions: PYTHON,
    commands: ['basedpyright-langserver'],
    args: ['--stdio'],
    install: 'npm install -g basedpyright',
    markers: PYTHON_MARKERS,
    inherits: PYTHON_VARIABLES,
    ready: PYTHON_READY,
    literals: PYTHON_LITERALS,
  },
  {
    name: 'pylsp',
    language: 'Python',
    extensions: PYTHON,
    commands: ['pylsp'],
    install: 'pip install python-lsp-server',
    markers: PYTHON_MARKERS,
    inherits: PYTHON_VARIABLES,
    runsWorkspaceCode: 'its plugins may load code that the project names',
  },
  {
    name: 'rust-analyzer',
    language: 'Rust',
    extensions: { '.rs': 'rust' },
    commands: ['rust-analyzer'],
    install: 'rustup component add rust-analyzer',
    markers: ['Cargo.toml', 'rust-project.json'],
    inherits: ['CARGO_HOME', 'RUSTUP_HOME', 'RUSTUP_TOOLCHAIN'],
    runsWorkspaceCode: 'cargo runs what the project configures, even with build scripts and macros off',
    initializationOptions: {
      cargo: { buildScripts: { enable: false } },
      procMacro: { enable: false },
      checkOnSave: false,
    },
  },
  {
    name: 'gopls',
    isTested: true,
    language: 'Go',
    extensions: { '.go': 'go', 'go.mod': 'go.mod', 'go.work': 'go.work' },
    commands: ['gopls'],
    install: 'go install golang.org/x/tools/gopls@latest',
    markers: ['go.work', 'go.mod'],
    inherits: ['GOPATH', 'GOROOT', 'GOCACHE', 'GOMODCACHE'],
    // A go.mod may name a toolchain to download and run or modules to fetch, and cgo would start a compiler.
    environment: {
      GOTOOLCHAIN: 'local',
      CGO_ENABLED: '0',
      GOFLAGS: '-mod=readonly',
      GOPROXY: 'off',
      GOVCS: '*:off',
    },
    sendsAll: 'with a version',
    // Left to itself it first sends what the compiler finds, and what its analyzers find a second later.
    initializationOptions: { diagnosticsDelay: '0s' },
  },
  {
    name: 'clangd',
    isTested: true,
    language: 'C and C++',
    extensions: {
      '.c': 'c',
      '.h': 'cpp',
      '.cc': 'cpp',
      '.cpp': 'cpp',
      '.cxx': 'cpp',
      '.hh': 'cpp',
      '.hpp': 'cpp',
      '.hxx': 'cpp',
      '.m': 'objective-c',
      '.mm': 'objective-cpp',
    },
    commands: ['clangd', ...[21, 20, 19, 18, 17, 16, 15, 14].map((version) => `clangd-${version}`)],
    // Left to itself it gives 100 symbols, most of them of the system's headers, and stops at some 1,000 references.
    args: ['--log=error', `--limit-results=${MAX_CLANGD_SYMBOLS}`, '--limit-references=0'],
    maxSymbols: MAX_CLANGD_SYMBOLS,
    install: 'apt-get install clangd (or your system’s package of that name; version 14 or newer)',
    folders: 'per-root',
    // Functions of the same name in two roots are one symbol to it.
    mixesFolders: true,
    markers: ['compile_commands.json', 'compile_flags.txt', '.clangd'],
    linksNames: true,
    indexed:
      '**/{compile_commands.json,compile_flags.txt,.clangd,*.{c,cc,cpp,cxx,m,mm,h,hh,hpp,hxx,inc,inl,ipp,tcc,def}}',
    sendsAll: 'with a version',
    hints: / \(fix(?:es)? available\)$/m,
    included: '**/*.{h,hh,hpp,hxx,inc,inl,ipp,tcc,def}',
    headersOfC: true,
    inherits: ['CPATH', 'C_INCLUDE_PATH', 'CPLUS_INCLUDE_PATH'],
  },
  {
    name: 'bash-language-server',
    isTested: true,
    language: 'Bash',
    extensions: { '.sh': 'shellscript', '.bash': 'shellscript' },
    commands: ['bash-language-server'],
    args: ['start'],
    install: 'npm install -g bash-language-server',
    folders: 'per-root',
    maxSymbols: Number.POSITIVE_INFINITY,
    ready: /BackgroundAnalysis: (?:Completed|Skipping|skipped)/i,
    sendsAll: 'with a version',
  },
  {
    name: 'yaml-language-server',
    isTested: true,
    language: 'YAML',
    extensions: { '.yaml': 'yaml', '.yml': 'yaml' },
    commands: ['yaml-language-server'],
    args: ['--stdio'],
    install: 'npm install -g yaml-language-server',
    // It announces that it follows folders; no effect of that could be seen.
    folders: 'file-driven',
    answersInOrder: true,
    settings: { yaml: { schemaStore: { enable: false } } },
    // Left to itself it fetches the schema that a file names, from the network or from anywhere on the disk.
    announces: ['yaml/registerContentRequest'],
    sendsAll: 'at once',
    readsOnlyItself: true,
  },
  {
    name: 'json',
    isTested: true,
    language: 'JSON',
    extensions: { '.json': 'json', '.jsonc': 'jsonc' },
    commands: ['vscode-json-language-server'],
    args: ['--stdio'],
    install: 'npm install -g vscode-langservers-extracted',
    folders: 'file-driven',
    answersInOrder: true,
    // The server asks for every schema instead of loading it.
    initializationOptions: { handledSchemaProtocols: [] },
    readsOnlyItself: true,
  },
  {
    name: 'html',
    isTested: true,
    language: 'HTML',
    extensions: { '.html': 'html', '.htm': 'html' },
    commands: ['vscode-html-language-server'],
    args: ['--stdio'],
    install: 'npm install -g vscode-langservers-extracted',
    folders: 'file-driven',
    answersInOrder: true,
    settings: {
      html: { validate: { styles: true, scripts: true } },
      css: { validate: true },
      javascript: { validate: { enable: true } },
    },
  },
  {
    name: 'css',
    isTested: true,
    language: 'CSS',
    extensions: { '.css': 'css', '.scss': 'scss', '.less': 'less' },
    commands: ['vscode-css-language-server'],
    args: ['--stdio'],
    install: 'npm install -g vscode-langservers-extracted',
    folders: 'file-driven',
    answersInOrder: true,
    // Without settings it finds nothing wrong.
    settings: { css: { validate: true }, scss: { validate: true }, less: { validate: true } },
  },
  {
    name: 'intelephense',
    language: 'PHP',
    extensions: { '.php': 'php' },
    commands: ['intelephense'],
    args: ['--stdio'],
    install: 'npm install -g intelephense',
    markers: ['composer.json'],
  },
  {
    name: 'ruby-lsp',
    language: 'Ruby',
    extensions: { '.rb': 'ruby' },
    commands: ['ruby-lsp'],
    install: 'gem install ruby-lsp',
    markers: ['Gemfile'],
    inherits: ['GEM_HOME', 'GEM_PATH'],
    runsWorkspaceCode: 'it installs and loads what the Gemfile of the project names',
  },
  {
    name: 'lua-language-server',
    language: 'Lua',
    extensions: { '.lua': 'lua' },
    commands: ['lua-language-server'],
    install: 'brew install lua-language-server (or a release of LuaLS)',
    markers: ['.luarc.json', '.luarc.jsonc'],
    runsWorkspaceCode: 'a .luarc.json may name a plugin for it to run',
  },
  {
    name: 'jdtls',
    language: 'Java',
    extensions: { '.java': 'java' },
    commands: ['jdtls'],
    install: 'brew install jdtls (or a release of Eclipse JDT LS)',
    markers: ['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle'],
    inherits: ['JAVA_HOME'],
    runsWorkspaceCode: BUILDS,
  },
  {
    name: 'csharp-ls',
    language: 'C#',
    extensions: { '.cs': 'csharp' },
    commands: ['csharp-ls'],
    install: 'dotnet tool install --global csharp-ls',
    markers: ['global.json', 'Directory.Build.props'],
    inherits: ['DOTNET_ROOT'],
    runsWorkspaceCode: BUILDS,
  },
];
