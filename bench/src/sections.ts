import { benchCode } from './sections/code.js';
import { benchExec } from './sections/exec.js';
import { benchFence } from './sections/fence.js';
import { benchFiles } from './sections/files.js';
import { benchHistory } from './sections/history.js';
import { benchHttp } from './sections/http.js';
import { benchMcp } from './sections/mcp.js';
import { benchPage } from './sections/page.js';
import type { Section } from './row.js';
import { benchSandbox } from './sections/sandbox.js';
import { benchStart } from './sections/start.js';
import { benchWorkspace } from './sections/workspace.js';
import { benchWrap } from './sections/wrap.js';

export const SECTIONS: Readonly<Record<string, () => Promise<Section>>> = {
  exec: benchExec,
  sandbox: benchSandbox,
  fence: benchFence,
  workspace: benchWorkspace,
  mcp: benchMcp,
  files: benchFiles,
  http: benchHttp,
  history: benchHistory,
  page: benchPage,
  start: benchStart,
  code: benchCode,
  wrap: benchWrap,
};
