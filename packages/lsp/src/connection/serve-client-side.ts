import type { MessageConnection } from 'vscode-jsonrpc/node';
import type {
  ApplyWorkspaceEditResult,
  ConfigurationParams,
  LogMessageParams,
  PublishDiagnosticsParams,
  Registration,
  RegistrationParams,
  Unregistration,
  UnregistrationParams,
  WorkspaceFolder,
} from 'vscode-languageserver-protocol';

/** The live state a server's questions are answered from, and where its news go. */
export interface ClientSide {
  folders(): readonly WorkspaceFolder[];
  readonly settings: Readonly<Record<string, unknown>>;
  registered(registration: Registration): void;
  unregistered(registration: Unregistration): void;
  logged(message: string): void;
  diagnosed(params: PublishDiagnosticsParams): void;
  /** The content of a schema that a document names. */
  schema(uri: string): Promise<string>;
  /** Work of the server in the background began, with its title, or ended. */
  progressed(token: number | string, ended: boolean, title?: string): void;
}

/** How servers of data formats ask for schemas. */
const SCHEMA_REQUESTS = ['vscode/content', 'custom/schema/content'] as const;

/** Questions that are only acknowledged. */
const ACKNOWLEDGED = [
  'window/workDoneProgress/create',
  'window/showMessageRequest',
  'workspace/diagnostic/refresh',
  'workspace/semanticTokens/refresh',
  'workspace/inlayHint/refresh',
  'workspace/inlineValue/refresh',
  'workspace/codeLens/refresh',
  'workspace/foldingRange/refresh',
] as const;

/** Answers what a server asks its client. An edit it wants made is refused: only tools change files. */
export function serveClientSide(wire: MessageConnection, side: ClientSide): void {
  wire.onRequest('workspace/workspaceFolders', () => side.folders());
  wire.onRequest('workspace/configuration', ({ items }: ConfigurationParams) =>
    items.map((item) => sectionOf(side.settings, item.section)),
  );
  wire.onRequest('client/registerCapability', ({ registrations }: RegistrationParams) => {
    for (const registration of registrations) side.registered(registration);
    return null;
  });
  // The protocol spells it this way.
  wire.onRequest('client/unregisterCapability', ({ unregisterations }: UnregistrationParams) => {
    for (const registration of unregisterations) side.unregistered(registration);
    return null;
  });
  wire.onRequest('workspace/applyEdit', (): ApplyWorkspaceEditResult => {
    return { applied: false, failureReason: 'edits are not taken from language servers' };
  });
  for (const method of SCHEMA_REQUESTS) {
    // One server sends the address in a list.
    wire.onRequest(method, (params: string | readonly string[]) =>
      side.schema(typeof params === 'string' ? params : (params[0] ?? '')),
    );
  }
  wire.onRequest('window/showDocument', () => ({ success: false }));
  for (const method of ACKNOWLEDGED) wire.onRequest(method, () => null);
  wire.onNotification('window/logMessage', ({ message }: LogMessageParams) => side.logged(message));
  wire.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
    side.diagnosed(params);
  });
  wire.onUnhandledProgress(({ token, value }) => {
    const told: { readonly kind?: unknown; readonly title?: unknown } =
      typeof value === 'object' && value !== null ? value : {};
    const title = typeof told.title === 'string' ? told.title : '';
    if (told.kind === 'begin') side.progressed(token, false, title);
    else if (told.kind === 'end') side.progressed(token, true);
  });
}

/** The settings of a section such as `python.analysis`, looked up part by part; null where nothing is set. */
export function sectionOf(settings: Readonly<Record<string, unknown>>, section: string | undefined): unknown {
  if (section === undefined || section === '') return settings;
  let value: unknown = settings;
  for (const part of section.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null;
    value = Object.entries(value).find(([name]) => name === part)?.[1];
  }
  return value ?? null;
}
