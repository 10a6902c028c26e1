'use strict';
// Starts the server of the repository that this folder came with, else the one that is installed. The client may have
// copied this folder elsewhere, so neither can be taken for granted.
const { existsSync, realpathSync } = require('node:fs');
const path = require('node:path');

const NAMES = process.platform === 'win32' ? ['rootward.cmd', 'rootward'] : ['rootward'];

function inRepository() {
  return path.join(__dirname, '..', '..', 'packages', 'server', 'dist', 'rootward.cjs');
}

/** npm links the command to a script inside the package; on Windows it writes a file beside the package. */
function onPath() {
  for (const folder of (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((place) => path.isAbsolute(place))) {
    for (const command of NAMES.map((name) => path.join(folder, name)).filter((file) => existsSync(file))) {
      const beside = path.join(folder, 'node_modules', 'rootward', 'dist', 'rootward.cjs');
      const linked = path.join(path.dirname(realpathSync(command)), '..', 'dist', 'rootward.cjs');
      const found = [beside, linked].find((file) => existsSync(file));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const program = [inRepository(), onPath()].find((file) => file !== undefined && existsSync(file));
if (program === undefined) {
  process.stderr.write(
    'rootward: Cannot start: it is not installed; run "npm install -g rootward", or use a clone\n',
  );
  process.exitCode = 2;
} else {
  require(program);
}
