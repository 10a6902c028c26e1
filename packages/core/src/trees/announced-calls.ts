import { closeSync, constants, lstatSync, openSync, readdirSync, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import type { CallerBinding } from './caller-bindings.js';

/** Each holds some members of what a client told its hook, one per line. */
const FILE = /^\d+\.call$/;
const MEMBER = /^"(?:cwd|tool_use_id|agent_id)":\s*"(?:[^"\\]|\\.)*"$/;
const MAX_FILES = 1000;
const MAX_BYTES = 64 * 1024;
/** A call that was refused by the user never comes. */
const MAX_AGE_MS = 30 * 60_000;
// oxlint-disable-next-line no-bitwise -- open(2) takes a bit mask
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * What a command hook wrote about the call with this id; its file is then removed. For clients whose hooks cannot call
 * a tool. Does NOT trust a folder that others can write to.
 */
export function takeAnnouncement(folder: string, id: string): CallerBinding | undefined {
  let found: CallerBinding | undefined;
  for (const name of announcementsIn(folder)) {
    const file = join(folder, name);
    const { cwd, tool_use_id: call, agent_id: agent = '' } = readMembers(file);
    const isIt = found === undefined && call === id && cwd !== undefined;
    if (isIt) found = { cwd, agent };
    if (isIt || isOld(file)) remove(file);
  }
  return found;
}

function announcementsIn(folder: string): readonly string[] {
  try {
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) return [];
    // oxlint-disable-next-line no-bitwise -- the mode is a bit mask
    if ((stats.mode & 0o022) !== 0) return [];
    return readdirSync(folder)
      .filter((name) => FILE.test(name))
      .slice(0, MAX_FILES);
  } catch {
    return [];
  }
}

type Members = Readonly<Partial<Record<'cwd' | 'tool_use_id' | 'agent_id', string>>>;

/**
 * The arguments of the call may have members of the same names: its own folder comes before them, and what identifies it
 * after them.
 */
function readMembers(file: string): Members {
  const found: Record<string, string> = {};
  for (const line of readLines(file)) {
    const member = MEMBER.test(line) ? readJson(`{${line}}`) : undefined;
    if (member?.ok !== true || !isObject(member.value)) continue;
    for (const [name, value] of Object.entries(member.value)) {
      if (typeof value === 'string' && (name !== 'cwd' || found[name] === undefined)) found[name] = value;
    }
  }
  return found;
}

function readLines(file: string): readonly string[] {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, FLAGS);
    const buffer = Buffer.alloc(MAX_BYTES);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, MAX_BYTES, 0)).split('\n');
  } catch {
    return [];
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isOld(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > MAX_AGE_MS;
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Another server has removed it.
  }
}
