#!/usr/bin/env node
'use strict';
// Runs program.cjs, with what V8 made of it last time where that still fits. Measured on Node 20: compiling takes
// about a fifth of the start without it.
const { createHash } = require('node:crypto');
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { Script, constants } = require('node:vm');

const file = path.join(__dirname, 'program.cjs');
const source = readFileSync(file, 'utf8');
// V8 accepts the cache of another source of the same length and would run the old code: the key is the content.
const digest = createHash('sha256').update(source).digest('hex').slice(0, 32);
const cacheFile = path.join(__dirname, `program-${digest}-${process.versions.v8}-${process.arch}.cache`);

function readCache() {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

const cachedData = readCache();
const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename: file,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  ...(cachedData !== undefined && { cachedData }),
});

/** Whole or not at all, since another process may start meanwhile. Where the folder is not ours, there is no cache. */
function writeCache() {
  try {
    const temporary = `${cacheFile}.${process.pid}`;
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, cacheFile);
  } catch {
    // The next start is a little slower; nothing else depends on it.
  }
}

const program = { exports: {} };
script.runInThisContext()(program.exports, require, program, file, __dirname);
program.exports.main(__dirname);
// Late, so that it holds what serving compiled; unref'd, so that it keeps nobody waiting.
if (cachedData === undefined || script.cachedDataRejected) setTimeout(writeCache, 2000).unref();
