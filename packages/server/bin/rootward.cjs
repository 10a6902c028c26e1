#!/usr/bin/env node
'use strict';
// Committed, because npm links the commands of a package before the package is built.
const { existsSync } = require('node:fs');
const path = require('node:path');

const program = path.join(__dirname, '..', 'dist', 'rootward.cjs');
if (existsSync(program)) {
  require(program);
} else {
  const clone = path.join(__dirname, '..', '..', '..');
  process.stderr.write(
    `rootward: Cannot start: ${program} is not built; run "npm install" in ${clone} first\n`,
  );
  process.exitCode = 2;
}
