/** The processors we know the system calls of. */
export type Processor = 'x64' | 'arm64';

/** The number of a system call on each processor; undefined where it has none. */
type Numbers = readonly [x64: number | undefined, arm64: number | undefined];

/** From the headers of Linux 6.1; numbers never change. */
const NUMBERS: Readonly<Record<string, Numbers>> = {
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, undefined],
  iopl: [172, undefined],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  migrate_pages: [256, 238],
  mknod: [133, undefined],
  mknodat: [259, 33],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  msgctl: [71, 187],
  msgget: [68, 186],
  msgrcv: [70, 188],
  msgsnd: [69, 189],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  prlimit64: [302, 261],
  process_madvise: [440, 440],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  semctl: [66, 191],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  setpriority: [141, 140],
  settimeofday: [164, 170],
  shmat: [30, 196],
  shmctl: [31, 195],
  shmdt: [67, 197],
  shmget: [29, 194],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
};

/**
 * Undefined where the processor has no such call. Throws for a name that is not in the table: a filter without it would
 * not block that call.
 */
export function numberOf(call: string, processor: Processor): number | undefined {
  const numbers = NUMBERS[call];
  if (numbers === undefined) throw new RangeError(`Cannot filter ${call}: its number is not known`);
  return numbers[processor === 'x64' ? 0 : 1];
}
