import { execFile } from 'node:child_process';
import type { Processor } from '../seccomp/system-calls.js';

const PROBE_MS = 10_000;

export function processorOf(): Processor | undefined {
  return process.arch === 'x64' || process.arch === 'arm64' ? process.arch : undefined;
}

/** Runs a program to its end; its last line tells how it went. */
export function tryProgram(
  program: string,
  args: readonly string[],
): Promise<{ readonly ok: boolean; readonly text: string }> {
  return new Promise((resolve) => {
    const options = { timeout: PROBE_MS, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const text = (error === null ? stdout : stderr).trim().split('\n').at(-1) ?? '';
      resolve({ ok: error === null, text: text === '' && error !== null ? error.message : text });
    });
  });
}
