import { absolutePathsScript } from './path-arguments.js';

/**
 * Runs inside opencode before every call. It changes relative paths of our tools to what they mean in the folder of
 * the session, and nothing else; opencode asks for permission after it.
 */
export function opencodePlugin(server: string): string {
  return `// Written by "rootward install". Makes relative paths of a call absolute, so that they mean the folder of the session.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';

${absolutePathsScript()}
export const RootwardPaths = async ({ directory }) => ({
  'tool.execute.before': async ({ tool }, { args }) => {
    try {
      const prefix = ${JSON.stringify(`${server.replaceAll(/[^\w-]/g, '_')}_`)};
      if (tool.startsWith(prefix)) Object.assign(args, absolutePaths(tool.slice(prefix.length), args, directory));
    } catch {
      // The call goes on as it is.
    }
  },
});
`;
}
