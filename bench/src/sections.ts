import { benchCode } from './code.js';
import { benchExec } from './exec.js';
import { benchFence } from './fence.js';
import { benchFiles } from './files.js';
import { benchHistory } from './history.js';
import { benchHttp } from './http.js';
import { benchMcp } from './mcp.js';
import { benchPage } from './page.js';
import type { Section } from './row.js';
import { benchSandbox } from './sandbox.js';
import { benchStart } from './start.js';
import { benchWorkspace } from './workspace.js';
import { benchWrap } from './wrap.js';

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
