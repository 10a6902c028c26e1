import { PreparedWorkspace } from '../workspace/prepared-workspace.js';
import type { WorkspaceOptions } from '../workspace/prepared-workspace.js';
import { createHandleCodec } from './handle-codec.js';
import type { HandleCodec } from './handle-codec.js';

/** With what the modern era needs on top. */
export class ModernPreparedWorkspace extends PreparedWorkspace {
  #handles: HandleCodec | undefined;

  /** Made on first use, so that a key that is too short fails the calls that need it, and says so. */
  get handles(): HandleCodec {
    this.#handles ??= createHandleCodec(this);
    return this.#handles;
  }
}

/**
 * Reads once what all workspaces of a server have in common. Pass the result to `withWorkspace()` where servers are
 * made per session or request, as over HTTP.
 */
export function prepareWorkspace(options: WorkspaceOptions = {}): PreparedWorkspace {
  return new ModernPreparedWorkspace(options);
}

export function toPrepared(options: WorkspaceOptions | PreparedWorkspace): ModernPreparedWorkspace {
  if (options instanceof ModernPreparedWorkspace) return options;
  return new ModernPreparedWorkspace(options instanceof PreparedWorkspace ? options.options : options);
}
