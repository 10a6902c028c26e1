export { connectInProcess, connectToProcess } from './connection.js';
export type { Connection, InProcessConnection, SpawnedConnection, SpawnOptions } from './connection.js';
export { answering, answeringAfter, answeringWith, inTurn, refusing, silent } from './roots-script.js';
export type { AskedForRoots, DeclaredRoot, RootsScript } from './roots-script.js';
export { workspaceContext } from './workspace-context.js';
export type { TestWorkspace } from './workspace-context.js';
export { ScriptedClient, ScriptedClientError } from './scripted-client.js';
export type { RequestOptions, Result, ScriptedClientOptions } from './scripted-client.js';
