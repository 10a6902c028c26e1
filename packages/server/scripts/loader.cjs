#!/usr/bin/env node
'use strict';
// Runs program.cjs with the compiled code that an earlier start left beside it, where that code still fits. Processor time of
// a start up to the first answer, without a cache, with the cache that Node 22.8 and newer keep themselves, and with this one:
// 127, -, 89 ms (Node 20) and 120, 82, 55 ms (Node 22). The cache of Node holds only what loading the module compiled.
const fs = require('node:fs');
const path = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const { Script } = require('node:vm');

/** Late enough to hold the code that answering the first messages compiled, too. */
const WRITE_AFTER_MS = 2000;
/** By then most clients have listed the tools and called one, which makes the first call of later starts twice as quick. */
const WRITE_AGAIN_AFTER_MS = 30_000;
/** A cache replaces another only if it holds so much more. */
const GROWTH = 1.03;
/** Identifies the build: V8 accepts the cache of another source of the same length, and would run the old code. */
const BUILT = 'from source';

const file = path.join(__dirname, 'program.cjs');
// The time of the file covers a change by hand, the tag the version of V8, the processor and the flags. Hashing the file at
// each start would take 3 of 105 ms.
const time = Math.trunc(fs.statSync(file).mtimeMs).toString(36);
const cache = path.join(__dirname, `program-${BUILT}-${time}-${cachedDataVersionTag().toString(16)}.cache`);
const cachedData = readCache();
// The file holds one function in ASCII: each byte is one character, and nothing has to be joined.
const script = new Script(fs.readFileSync(file, 'latin1'), {
  filename: file,
  ...(cachedData !== undefined && { cachedData }),
});
keepCompiled(cachedData !== undefined && !script.cachedDataRejected);
const program = { exports: {} };
script.runInThisContext()(program.exports, require, program, file, __dirname);
program.exports.main(__dirname);

function readCache() {
  try {
    return fs.readFileSync(cache);
  } catch {
    return undefined;
  }
}

/** `fits`: the cache of an earlier process was used, so that only one that holds more is worth writing. */
function keepCompiled(fits) {
  let isKept = fits;
  const write = () => {
    const least = isKept ? (fs.statSync(cache, { throwIfNoEntry: false })?.size ?? 0) * GROWTH : 0;
    isKept = true;
    writeCache(least);
  };
  if (!fits) setTimeout(write, WRITE_AFTER_MS).unref();
  setTimeout(write, WRITE_AGAIN_AFTER_MS).unref();
  // Most commands end earlier, and are slower each time without a cache.
  process.once('exit', () => {
    if (!isKept) write();
  });
}

/** Writes the cache whole or not at all, since another process may start meanwhile. */
function writeCache(minBytes) {
  const temporary = `${cache}.${process.pid}`;
  try {
    // Created first: where nothing can be written, nothing has to be compiled.
    fs.writeFileSync(temporary, '', { mode: 0o600, flag: 'wx' });
  } catch {
    // The folder belongs to someone else. The next start is slower; nothing else depends on the cache.
    return;
  }
  try {
    const data = script.createCachedData();
    if (data.length >= minBytes) {
      fs.writeFileSync(temporary, data);
      fs.renameSync(temporary, cache);
      return;
    }
  } catch {
    // As above.
  }
  fs.rmSync(temporary, { force: true });
}
