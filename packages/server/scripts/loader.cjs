#!/usr/bin/env node
'use strict';
// Runs program.cjs, which asks for rest.cjs when it needs that, or wrap.cjs, with what V8 made of it last time where that
// still fits. Measured on Node 20: compiling takes about a fifth of the start without it.
const fs = require('node:fs');
const path = require('node:path');
const { cachedDataVersionTag, setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

/** What the build made, by a digest of all of it. */
const BUILT = 'from source';
/** How much of the end of a file names its build. */
const STAMP_LENGTH = 64;
/** Late enough to hold what answering the first messages compiled, too. */
const WRITE_AFTER_MS = 2000;
/** By then most clients have listed the tools and called one. What that compiled makes the first call of later starts twice as quick. */
const WRITE_USED_AFTER_MS = 30_000;
/** A cache takes the place of another only if it holds so much more. */
const GROWTH = 1.03;

/** The file holds one function, written in ASCII, so that each byte is a character and nothing has to be put together. */
function load(file, bytes, mtimeMs) {
  // V8 accepts the cache of another source of the same length and would run the old code. So the key is the build, and the
  // time of the file for whoever changes it by hand; installers give all files one time. Hashing the file at each start
  // took 3 of 105 ms. The tag stands for version, processor and flags: with others the cache would be thrown away and
  // written anew each time.
  const time = Math.trunc(mtimeMs).toString(36);
  const tag = cachedDataVersionTag().toString(16);
  const name = `${path.basename(file, '.cjs')}-${BUILT}-${time}-${tag}`;
  const early = path.join(__dirname, `${name}.cache`);
  const used = path.join(__dirname, `${name}-used.cache`);
  const usedData = readCache(used);
  const cachedData = usedData ?? readCache(early);
  const script = new Script(bytes.toString('latin1'), {
    filename: file,
    ...(cachedData !== undefined && { cachedData }),
  });
  const fits = cachedData !== undefined && !script.cachedDataRejected;
  if (!fits || usedData === undefined) keep(script, early, used, fits);
  return script.runInThisContext();
}

/** `hasEarly`: an earlier process has left what its start compiled, which for a short command is little. */
function keep(script, early, used, hasEarly) {
  const sizeOf = () => fs.statSync(early, { throwIfNoEntry: false })?.size;
  let isKept = hasEarly;
  const writeEarly = () => {
    const least = isKept ? (sizeOf() ?? 0) * GROWTH : 0;
    isKept = true;
    if (writeCache(script, early, least)) fs.rmSync(used, { force: true });
  };
  setTimeout(writeEarly, WRITE_AFTER_MS).unref();
  setTimeout(() => {
    const before = sizeOf();
    // In place of the one that the start alone has left.
    if (before !== undefined && writeCache(script, used, before * GROWTH)) fs.rmSync(early, { force: true });
  }, WRITE_USED_AFTER_MS).unref();
  // Most commands are over by then, and are slower each time without it.
  process.once('exit', () => {
    if (!isKept) writeEarly();
  });
}

function readCache(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whole or not at all, since another process may start meanwhile. Where the folder is not ours, there is no cache. */
function writeCache(script, file, minBytes) {
  const temporary = `${file}.${process.pid}`;
  try {
    // First, since where nothing can be written, nothing has to be made.
    fs.writeFileSync(temporary, '', { mode: 0o600, flag: 'wx' });
  } catch {
    // The next start is a little slower; nothing else depends on it.
    return false;
  }
  try {
    const data = script.createCachedData();
    if (data.length >= minBytes) {
      fs.writeFileSync(temporary, data);
      fs.renameSync(temporary, file);
      return true;
    }
  } catch {
    // As above.
  }
  fs.rmSync(temporary, { force: true });
  return false;
}

/**
 * The other half is opened with the first one: a server goes on with its own when another version is installed, or this one
 * removed, while it runs. Returns what reads it, once.
 */
function holdRest() {
  const file = path.join(__dirname, 'rest.cjs');
  let descriptor;
  try {
    descriptor = fs.openSync(file);
  } catch {
    // Few sessions need it.
  }
  return () => {
    if (descriptor === undefined) throw unusable(file);
    const bytes = fs.readFileSync(descriptor);
    // What one half calls the parts of the other differs from build to build.
    if (!bytes.subarray(-STAMP_LENGTH).includes(BUILT)) throw unusable(file);
    const { mtimeMs } = fs.fstatSync(descriptor);
    fs.closeSync(descriptor);
    descriptor = undefined;
    return load(file, bytes, mtimeMs);
  };
}

function unusable(file) {
  return new Error(
    `Cannot use ${file}: it is missing or belongs to another version; restart rootward, or install it again`,
  );
}

/** `rootward wrap` needs a third of the program, and runs once for each server that a client uses. */
const small = path.join(__dirname, 'wrap.cjs');
const isSmall = process.argv[2] === 'wrap' && fs.existsSync(small);
const file = isSmall ? small : path.join(__dirname, 'program.cjs');
// What V8 optimises, it puts together from all that is called there, which takes 4 MB in a program that mostly waits. Little
// of that keeps a message as quick. It optimises a function once that has run for a while, which here takes thousands of
// calls, more than most clients make: a seventh of the usual budget. Measured on Node 20 after 700 calls, for a call and its
// answer: 41 µs, 62 µs with the usual budget; 0.2 MB more. What a message leaves behind is gone with it, so that more room
// for new objects only takes memory: 2.2 MB after 1,500 calls that take as long without. All of it is set before the cache is
// looked at, which belongs to the flags.
if (isSmall) {
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=100');
  setFlagsFromString('--interrupt-budget=20000');
  setFlagsFromString('--semi-space-growth-factor=1');
}
const loadRest = isSmall ? undefined : holdRest();
const program = { exports: {} };
load(file, fs.readFileSync(file), fs.statSync(file).mtimeMs)(
  program.exports,
  require,
  program,
  file,
  __dirname,
  loadRest,
);
program.exports.main(__dirname);
