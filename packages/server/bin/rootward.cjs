#!/usr/bin/env node
'use strict';
// Committed, because npm links the commands of a package before the package is built.
const { existsSync } = require('node:fs');
const path = require('node:path');

const program = path.join(__dirname, '..', 'dist', 'rootward.cjs');
if (existsSync(program)) {
  require(program);
} else {
  process.stderr.write(`rootward: Cannot start: ${program} is not built; run "npm install" first\n`);
  process.exitCode = 2;
}
