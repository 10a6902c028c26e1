import * as z from 'zod';
import { CLIENT_ROOTS_MODES, LOG_LEVELS, MAX_READY_SECONDS, TOOLSET_NAMES } from './values/option-values.js';
import { CHANGE_POLICIES } from './values/wrap-settings.js';
import { SANDBOX_BACKENDS, SANDBOX_GUARANTEES, SANDBOX_LEVELS } from './values/sandbox-settings.js';
import { HISTORY_MODES } from './values/history-settings.js';

const path = z.string().min(1);
const paths = z.array(path);

/** Core reads the entries of `roots` one by one, so that a bad one is skipped and the others count. */
export const rootSchema: z.ZodType = z.union([
  path,
  z.strictObject({
    path,
    name: z.string().optional(),
    access: z.enum(['read-write', 'read-only']).optional(),
  }),
]);

/** The library of language servers checks how these go together. */
const languageServer = z.strictObject({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  extensions: z.record(z.string(), z.string()).optional(),
  language: z.string().min(1).optional(),
  folders: z.enum(['shared', 'per-root', 'file-driven']).optional(),
  markers: z.array(z.string()).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  initializationOptions: z.unknown().optional(),
  environment: z.record(z.string(), z.string()).optional(),
});

/**
 * What `read-values.ts` and core check themselves, with better words for what is wrong; an editor gets to know it from
 * these. Which globs can be compiled is more than a pattern can say.
 */
const DENIAL = { pattern: '^[^!]' };
const HOST = { pattern: String.raw`[^\s\[\]]` };
const TOKEN = { pattern: String.raw`^[\w.~+/-]+=*$`, minLength: 16 };
const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const TOOL_ENV = {
  pattern: String.raw`^\s*(minimal|inherit|allow:[\s,]*${NAME}(\s*,[\s,]*${NAME})*[\s,]*)\s*$`,
};

const grant = {
  network: z.boolean().optional().describe('Allow the network at level strict'),
  read: paths.optional().describe('Further files and folders to read'),
  write: paths.optional().describe('Further files and folders to write'),
};
const level = z.enum(SANDBOX_LEVELS);
const sandbox = z.strictObject({
  level: level.optional().describe('What executables and language servers may touch'),
  require: z.enum(SANDBOX_GUARANTEES).optional().describe('Refuse a sandbox that guarantees less'),
  backend: z.enum(SANDBOX_BACKENDS).optional().describe('Use this one'),
  ...grant,
  allow: z.strictObject(grant).optional().describe('What a tool gets if it asks for it in tool.meta.json'),
  programs: z
    .record(z.string(), z.union([level, z.strictObject({ level: level.optional(), ...grant })]))
    .optional()
    .describe('Levels and further paths by the name of a tool or language server'),
});

/** No name of a tool has a blank at its start or end, so a glob with one would hide nothing. */
const toolGlob = z.string().regex(/^\S(?:.*\S)?$/, 'expected a glob without blanks around it');

/** Part of the names of tools. */
const PREFIX = /^[A-Za-z0-9-]{1,32}$/;
const wrapped = z.strictObject({
  command: z.string().min(1).describe('The program, by its path or its name on PATH'),
  args: z
    .array(z.string())
    .optional()
    .describe('Its arguments; {root}, {roots}, {roots:json} and {project} are filled in'),
  env: z.record(z.string(), z.string()).optional().describe('Variables to set, with the same placeholders'),
  sandbox: level.optional().describe('What it may touch'),
  onChange: z.enum(CHANGE_POLICIES).optional().describe('What happens to it when the folders change'),
  tools: z.array(toolGlob).optional().describe('Only these of its tools, as globs'),
  hideTools: z.array(toolGlob).optional().describe('Not these of its tools, as globs'),
});

const history = z.strictObject({
  mode: z.enum(HISTORY_MODES).optional(),
  exec: z.boolean().optional().describe('Keep what executables and wrapped servers change, too'),
  maxBytes: z.int().min(1).optional().describe('Everything that is kept, together'),
  maxDays: z.number().min(0).optional(),
  maxFileBytes: z.int().min(1).optional().describe('A larger file is noted, and not kept'),
});

const denial = z.string().min(1).meta(DENIAL);

const MAX_PORT = 65_535;

/** `rootward.json`. */
export const configurationSchema: z.ZodObject = z.strictObject({
  $schema: z.string().optional().describe('Where this schema is, for editors'),
  roots: z.array(rootSchema).optional().describe('Folders and files in scope; relative to this file'),
  within: paths
    .min(1, 'expected at least one folder; leave it out for no ceiling')
    .optional()
    .describe('The ceiling: every root stays inside it; relative to this file'),
  clientRoots: z
    .enum(CLIENT_ROOTS_MODES)
    .optional()
    .describe('How client folders combine with those named here'),
  readyTimeout: z
    .number()
    .min(0)
    .max(MAX_READY_SECONDS)
    .optional()
    .describe('How many seconds a call waits for the folders of the client'),
  toolsets: z.array(z.enum(TOOLSET_NAMES)).optional().describe('Only these tools'),
  tools: z.array(toolGlob).min(1).optional().describe('Only tools whose name matches one of these globs'),
  hideTools: z.array(toolGlob).optional().describe('No tools whose name matches one of these globs'),
  readOnly: z.boolean().optional().describe('Refuse every change, in all roots'),
  deny: z.array(denial).optional().describe('Globs out of reach, relative to every root'),
  denyAbsolute: paths
    .optional()
    .describe('Files and folders out of reach, whatever the roots are; relative to this file'),
  project: path.optional().describe('The tools project; relative to this file'),
  writableProject: z
    .boolean()
    .optional()
    .describe('Let tools change files of the tools project, apart from tools/ and config/'),
  registerHook: z.boolean().optional().describe('Run server.d/register.sh of the tools project at the start'),
  downloadHosts: z
    .array(z.string().min(1))
    .optional()
    .describe('Hosts that the download helper of executables may fetch from; "*" for every public one'),
  toolEnv: z
    .string()
    .optional()
    .describe('Which environment variables executables get: minimal, inherit, or allow:A,B')
    .meta(TOOL_ENV),
  languageServers: z
    .record(z.string(), z.union([z.literal(false), languageServer]))
    .optional()
    .describe('Language servers by name: other commands and settings, new ones, or false for none'),
  diagnostics: z
    .boolean()
    .optional()
    .describe('Add to each edit of a source file the problems that are new, unless the call says otherwise'),
  overwriteChanged: z
    .boolean()
    .optional()
    .describe('Let write_file replace a file that changed since the session last saw it'),
  trustWorkspaceServers: z
    .boolean()
    .optional()
    .describe('Start language servers found inside a root, and those that run code of the workspace'),
  wrap: z
    .record(z.string().regex(PREFIX, 'expected up to 32 letters, digits and -'), wrapped)
    .optional()
    .describe('Other MCP servers, by the prefix of their tools'),
  sandbox: z
    .union([level, sandbox])
    .optional()
    .describe('What executables and language servers may touch; paths are relative to this file'),
  ui: z.boolean().optional().describe('Serve the page of this process, and print its address to stderr'),
  telemetryPaths: z.boolean().optional().describe('Let paths be in what goes to OpenTelemetry'),
  uiConsent: z
    .boolean()
    .optional()
    .describe('Let the page answer questions that a client cannot show its user'),
  chdir: z.boolean().optional().describe('Move the process to the first root (stdio only)'),
  http: z
    .union([z.boolean(), z.int().min(0).max(MAX_PORT)])
    .optional()
    .describe('Serve HTTP, on this port'),
  host: z.string().min(1).optional().describe('The address to listen on').meta(HOST),
  token: z.string().min(1).optional().describe('The bearer token HTTP clients must send').meta(TOKEN),
  tokenFile: path.optional().describe('A file with bearer tokens, one on each line; relative to this file'),
  insecureNoToken: z.boolean().optional().describe('Let anyone on this machine connect over HTTP'),
  oauthIssuer: z.string().min(1).optional().describe('Accept access tokens of this OAuth 2.1 issuer, too'),
  oauthAudience: z.string().min(1).optional().describe('Whom such a token must be made for'),
  publicUrl: z.string().min(1).optional().describe('The address clients use, where a proxy is in front'),
  store: z
    .string()
    .min(1)
    .optional()
    .describe('Share sessions with other instances: redis://HOST, or @FILE with such a URL'),
  limits: z
    .strictObject({
      requests: z.int().min(1).optional().describe('Per second'),
      sessions: z.int().min(1).optional(),
      bytes: z.int().min(1).optional().describe('Of requests and answers, per minute'),
    })
    .optional()
    .describe('What each principal may use over HTTP'),
  audit: path.optional().describe('Append every decision about a path to this file; relative to this file'),
  logLevel: z.enum(LOG_LEVELS).optional().describe('What goes to stderr'),
  history: z
    .union([z.enum(HISTORY_MODES), history])
    .optional()
    .describe('Keep what was there before each change: best-effort, required or off; or that with bounds'),
});

/** As published for editors. */
export function configurationJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configurationSchema),
    title: 'rootward.json',
    description: 'Configuration of the rootward server',
  };
}
