import { describe, expect, test } from 'vitest';
import { filterProgram, seccompFilter, type FilterOptions } from '../../src/seccomp/filter.js';
import type { Instruction } from '../../src/seccomp/assemble.js';
import { numberOf } from '../../src/seccomp/system-calls.js';

const ALLOWED = 'allowed';
const X64 = 0xc000003e;
const I386 = 0x40000003;
const STRICT: FilterOptions = { processor: 'x64', namespaces: 'shared', network: false };

/** Runs a filter as the kernel does. */
function run(
  program: readonly Instruction[],
  call: number,
  args: readonly number[] = [],
  architecture = X64,
): string {
  let accumulator = 0;
  for (let at = 0; at < program.length; at++) {
    const { code, jumpTrue, jumpFalse, value } = program[at]!;
    if (code === 0x20) {
      accumulator = value === 0 ? call : value === 4 ? architecture : (args[(value - 16) / 8] ?? 0);
    } else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x15) at += accumulator === value ? jumpTrue : jumpFalse;
    else if (code === 0x45) at += (accumulator & value) >>> 0 === 0 ? jumpFalse : jumpTrue;
    else return value === 0x7fff0000 ? ALLOWED : `errno ${value & 0xffff}`;
  }
  throw new Error('the filter has no end');
}

function asks(options: FilterOptions, call: string, args: readonly number[] = []): string {
  const architecture = options.processor === 'x64' ? X64 : 0xc00000b7;
  return run(filterProgram(options), numberOf(call, options.processor)!, args, architecture);
}

describe('seccompFilter()', () => {
  test('is a whole number of instructions', () => {
    expect(seccompFilter(STRICT).length % 8).toBe(0);
  });

  test('refuses other system call tables', () => {
    expect(run(filterProgram(STRICT), 4, [], I386)).toBe('errno 38');
    expect(run(filterProgram(STRICT), 0x40000001)).toBe('errno 38');
  });

  test.each(['x64', 'arm64'] as const)('refuses ptrace, mount and keys on %s', (processor) => {
    for (const call of ['ptrace', 'mount', 'keyctl', 'bpf', 'setns', 'open_by_handle_at']) {
      for (const namespaces of ['shared', 'isolated'] as const) {
        expect(asks({ processor, namespaces, network: true }, call)).toBe('errno 1');
      }
    }
  });

  test('lets threads and processes start, but no namespaces', () => {
    const THREAD = 0x3d0f00;
    const NEW_USER = 0x10000000;
    expect(asks(STRICT, 'clone', [THREAD])).toBe(ALLOWED);
    expect(asks(STRICT, 'clone', [17])).toBe(ALLOWED);
    expect(asks(STRICT, 'clone', [NEW_USER | 17])).toBe('errno 1');
    expect(asks(STRICT, 'unshare', [NEW_USER])).toBe('errno 1');
    expect(asks(STRICT, 'unshare', [0x400])).toBe(ALLOWED);
    expect(asks(STRICT, 'clone3')).toBe('errno 38');
  });

  test('makes pipes, but no devices', () => {
    expect(asks(STRICT, 'mknodat', [0, 0, 0o010600])).toBe(ALLOWED);
    expect(asks(STRICT, 'mknodat', [0, 0, 0o020600])).toBe('errno 1');
    expect(asks(STRICT, 'mknod', [0, 0o060600])).toBe('errno 1');
  });

  test('types nothing into a terminal', () => {
    expect(asks(STRICT, 'ioctl', [0, 0x5412])).toBe('errno 1');
    expect(asks(STRICT, 'ioctl', [0, 0x541c])).toBe('errno 1');
    expect(asks(STRICT, 'ioctl', [0, 0x5401])).toBe(ALLOWED);
  });

  test('without namespaces and network there are only connected stream pairs', () => {
    expect(asks(STRICT, 'socket', [2, 1])).toBe('errno 13');
    expect(asks(STRICT, 'socket', [1, 1])).toBe('errno 13');
    expect(asks(STRICT, 'socketpair', [1, 1 | 0x80000])).toBe(ALLOWED);
    expect(asks(STRICT, 'socketpair', [1, 5])).toBe(ALLOWED);
    expect(asks(STRICT, 'socketpair', [1, 2])).toBe('errno 13');
  });

  test('with network there are sockets, but none with a name in the file system', () => {
    const network: FilterOptions = { ...STRICT, network: true };
    expect(asks(network, 'socket', [2, 1])).toBe(ALLOWED);
    expect(asks(network, 'socket', [10, 2])).toBe(ALLOWED);
    expect(asks(network, 'socket', [16, 3])).toBe(ALLOWED);
    expect(asks(network, 'socket', [1, 1])).toBe('errno 13');
    expect(asks(network, 'socket', [40, 1])).toBe('errno 13');
  });

  test('leaves to namespaces what they hold back', () => {
    const isolated: FilterOptions = { ...STRICT, namespaces: 'isolated' };
    for (const call of ['socket', 'shmget', 'io_uring_setup'])
      expect(asks(isolated, call, [1])).toBe(ALLOWED);
    expect(asks(STRICT, 'shmget')).toBe('errno 1');
    expect(asks(STRICT, 'io_uring_setup')).toBe('errno 1');
  });

  test('sets no limits of other processes', () => {
    expect(asks(STRICT, 'prlimit64', [0])).toBe(ALLOWED);
    expect(asks(STRICT, 'prlimit64', [1])).toBe('errno 1');
  });

  test('an unknown call name is an error', () => {
    expect(() => numberOf('no_such_call', 'x64')).toThrow('Cannot filter no_such_call');
  });
});
