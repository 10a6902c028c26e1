import {
  allow,
  and,
  ARCHITECTURE,
  argument,
  CALL_NUMBER,
  encode,
  fail,
  jumpIfAnyBit,
  jumpIfEqual,
  load,
} from './assemble.js';
import type { Instruction } from './assemble.js';
import { numberOf, type Processor } from './system-calls.js';

export interface FilterOptions {
  readonly processor: Processor;
  /** `isolated`: namespaces hide what is not allowed. `shared`: there are only the filter and the file rules. */
  readonly namespaces: 'isolated' | 'shared';
  readonly network: boolean;
}

const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;

const AUDIT_ARCHITECTURES: Readonly<Record<Processor, number>> = { x64: 0xc0_00_00_3e, arm64: 0xc0_00_00_b7 };
/** Set in the numbers of the second call table of x64. */
const X32_BIT = 0x40_00_00_00;

/** Refused with any namespaces: nobody needs these calls, and each is a way to more rights or to another process. */
const NEVER: readonly string[] = [
  'acct',
  'add_key',
  'adjtimex',
  'bpf',
  'chroot',
  'clock_adjtime',
  'clock_settime',
  'delete_module',
  'fanotify_init',
  'finit_module',
  'fsconfig',
  'fsmount',
  'fsopen',
  'fspick',
  'init_module',
  'ioperm',
  'iopl',
  'kcmp',
  'kexec_file_load',
  'kexec_load',
  'keyctl',
  'migrate_pages',
  'mount',
  'mount_setattr',
  'move_mount',
  'move_pages',
  'open_by_handle_at',
  'open_tree',
  'perf_event_open',
  'pidfd_getfd',
  'pivot_root',
  'process_madvise',
  'process_vm_readv',
  'process_vm_writev',
  'ptrace',
  'quotactl',
  'quotactl_fd',
  'reboot',
  'request_key',
  'setdomainname',
  'sethostname',
  'setns',
  'settimeofday',
  'swapoff',
  'swapon',
  'syslog',
  'umount2',
  'userfaultfd',
  'vhangup',
];

/** Memory and queues that all processes of a system share, and a way to do the rest without a system call each. */
const NOT_WITHOUT_NAMESPACES: readonly string[] = [
  'io_uring_enter',
  'io_uring_register',
  'io_uring_setup',
  'mq_open',
  'mq_unlink',
  'msgctl',
  'msgget',
  'msgrcv',
  'msgsnd',
  'semctl',
  'semget',
  'semop',
  'semtimedop',
  'shmat',
  'shmctl',
  'shmdt',
  'shmget',
];

/** `CLONE_NEW…` for mount, cgroup, uts, ipc, user, pid, net and time. */
const NAMESPACE_FLAGS = 0x7e_02_00_80;
/** Types of files that are devices, of the bits that say the type. */
const TYPE_BITS = 0xf0_00;
const CHARACTER_DEVICE = 0x20_00;
const BLOCK_DEVICE = 0x60_00;
/** Puts characters into the input of a terminal, as if somebody had typed them. */
const TIOCSTI = 0x54_12;
const TIOCLINUX = 0x54_1c;
const AF_INET = 2;
const AF_INET6 = 10;
/** Names of interfaces and routes; what `getaddrinfo` asks before it sorts addresses. */
const AF_NETLINK = 16;
const SOCKET_TYPE_BITS = 0xf;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;

/** The filters of children with and without the network, assembled once. */
export function seccompFilters(
  processor: Processor,
  namespaces: FilterOptions['namespaces'],
): (plan: { readonly network: boolean }) => Buffer {
  const open = seccompFilter({ processor, namespaces, network: true });
  const closed = seccompFilter({ processor, namespaces, network: false });
  return ({ network }) => (network ? open : closed);
}

/** The filter that a child gets, as the kernel reads it. Pure. */
export function seccompFilter(options: FilterOptions): Buffer {
  return encode(filterProgram(options));
}

export function filterProgram({ processor, namespaces, network }: FilterOptions): readonly Instruction[] {
  const program: Instruction[] = [
    load(ARCHITECTURE),
    jumpIfEqual(AUDIT_ARCHITECTURES[processor], 1, 0),
    fail(ENOSYS),
    load(CALL_NUMBER),
  ];
  if (processor === 'x64') program.push(jumpIfAnyBit(X32_BIT, 0, 1), fail(ENOSYS));
  const on = (call: string, body: readonly Instruction[]): void => {
    const number = numberOf(call, processor);
    // Each body ends with a return, so the number is still loaded for the next one.
    if (number !== undefined) program.push(jumpIfEqual(number, 0, body.length), ...body);
  };
  for (const call of NEVER) on(call, [fail(EPERM)]);
  // Its flags are in memory, which a filter cannot read; programs fall back to `clone`.
  on('clone3', [fail(ENOSYS)]);
  for (const call of ['clone', 'unshare']) {
    on(call, [load(argument(0)), jumpIfAnyBit(NAMESPACE_FLAGS, 0, 1), fail(EPERM), allow()]);
  }
  on('mknod', notDevices(1));
  on('mknodat', notDevices(2));
  on('ioctl', [
    load(argument(1)),
    jumpIfEqual(TIOCSTI, 1, 0),
    jumpIfEqual(TIOCLINUX, 0, 1),
    fail(EPERM),
    allow(),
  ]);
  if (namespaces === 'shared') {
    for (const call of NOT_WITHOUT_NAMESPACES) on(call, [fail(EPERM)]);
    // Priorities and limits of other processes.
    on('setpriority', [load(argument(1)), jumpIfEqual(0, 0, 1), allow(), fail(EPERM)]);
    on('prlimit64', [load(argument(0)), jumpIfEqual(0, 0, 1), allow(), fail(EPERM)]);
  }
  sockets(on, namespaces, network);
  program.push(allow());
  return program;
}

function notDevices(modeArgument: number): readonly Instruction[] {
  return [
    load(argument(modeArgument)),
    and(TYPE_BITS),
    jumpIfEqual(CHARACTER_DEVICE, 1, 0),
    jumpIfEqual(BLOCK_DEVICE, 0, 1),
    fail(EPERM),
    allow(),
  ];
}

/**
 * Sockets with names in the file system or the abstract namespace lead to other programs, and file rules do not apply
 * to them. In its own network namespace a child can reach nobody, and the mounts decide which names exist; everywhere
 * else such sockets are refused. A connected pair is fine, except one of datagrams, which can be sent anywhere.
 */
function sockets(
  on: (call: string, body: readonly Instruction[]) => void,
  namespaces: FilterOptions['namespaces'],
  network: boolean,
): void {
  if (namespaces === 'isolated' && !network) return;
  on('socketpair', [
    load(argument(1)),
    and(SOCKET_TYPE_BITS),
    jumpIfEqual(SOCK_STREAM, 2, 0),
    jumpIfEqual(SOCK_SEQPACKET, 1, 0),
    fail(EACCES),
    allow(),
  ]);
  if (!network) {
    on('socket', [fail(EACCES)]);
    return;
  }
  on('socket', [
    load(argument(0)),
    jumpIfEqual(AF_INET, 3, 0),
    jumpIfEqual(AF_INET6, 2, 0),
    jumpIfEqual(AF_NETLINK, 1, 0),
    fail(EACCES),
    allow(),
  ]);
}
