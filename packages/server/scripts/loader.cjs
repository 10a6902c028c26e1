#!/usr/bin/env node
'use strict';
// Runs program.cjs, or wrap.cjs, with what V8 made of it last time where that still fits. Measured on Node 20: compiling takes
// about a fifth of the start without it.
const { createHash } = require('node:crypto');
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { cachedDataVersionTag, setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

/** Late enough to hold what serving compiled, too. */
const WRITE_AFTER_MS = 2000;

/** The file holds one function, written in ASCII, so that each byte is a character and nothing has to be put together. */
function load(file) {
  const bytes = readFileSync(file);
  // V8 accepts the cache of another source of the same length and would run the old code: the key is the content.
  // The tag stands for version, processor and flags: with others it would be thrown away and written anew each time.
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  const name = path.basename(file, '.cjs');
  const cacheFile = path.join(__dirname, `${name}-${digest}-${cachedDataVersionTag().toString(16)}.cache`);
  const cachedData = readCache(cacheFile);
  const script = new Script(bytes.toString('latin1'), {
    filename: file,
    ...(cachedData !== undefined && { cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected) {
    setTimeout(() => writeCache(script, cacheFile), WRITE_AFTER_MS).unref();
  }
  return script.runInThisContext();
}

function readCache(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whole or not at all, since another process may start meanwhile. Where the folder is not ours, there is no cache. */
function writeCache(script, file) {
  try {
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch {
    // The next start is a little slower; nothing else depends on it.
  }
}

/** `rootward wrap` needs a third of the program, and runs once for each server that a client uses. */
const small = path.join(__dirname, 'wrap.cjs');
const isSmall = process.argv[2] === 'wrap' && existsSync(small);
const file = isSmall ? small : path.join(__dirname, 'program.cjs');
// What V8 optimises, it puts together from all that is called there, which takes 4 MB in a program that mostly waits. Little
// of that keeps a message as quick. It optimises a function once that has run for a while, which here takes thousands of
// calls, more than most clients make: a seventh of the usual budget. Measured on Node 20 after 700 calls, for a call and its
// answer: 41 µs, 62 µs with the usual budget; 0.2 MB more. Set before the cache is looked at, which belongs to the flags.
if (isSmall) {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=100');
  setFlagsFromString('--interrupt-budget=20000');
}
const program = { exports: {} };
load(file)(program.exports, require, program, file, __dirname);
program.exports.main(__dirname);
