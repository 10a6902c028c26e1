/*
 * rootward-launcher: holds itself to a plan, and then becomes the program it was asked to run.
 *
 *   rootward-launcher PLAN_FD FOLDER PROGRAM [ARGUMENT...]
 *   rootward-launcher --mount PLAN_FD DIRECTORY PROGRAM [ARGUMENT...]
 *   rootward-launcher --watch FOLDER MAX_FOLDERS ENDING...
 *   rootward-launcher --probe
 *   rootward-launcher --probe-mount
 *
 * Nothing here is trusted to the program: by the time it runs, Landlock decides about files, TCP, signals and abstract
 * sockets, a seccomp filter about the rest, no capability is left, and no descriptor is open that the plan does not
 * name. Everything that fails ends the launcher with a reason and exit code 125; the program is never run with less.
 *
 * FOLDER belongs to the program alone, which may change everything in it. The plan is the same for many programs, and is
 * read from a descriptor. It is a list of records, each ended by a zero byte; the first byte says what it is:
 *
 *   r PATH   may be read and executed, with everything below
 *   w PATH   may be read, executed and changed, with everything below; no device may be made
 *   d PATH   a device: may be read and written
 *   n        TCP is allowed
 *   k FD     stays open (0, 1 and 2 always do)
 *   p PID    the process that started us; the kernel ends us when it ends
 *   f HEX    the seccomp filter, as `struct sock_filter` in hexadecimal
 *
 * With `--mount` it runs inside the namespaces of bubblewrap, which needs time for each mount that grows with their
 * number, and DIRECTORY is the current one. No Landlock is used, and these records say what to mount, outer folders first:
 *
 *   b PATH   onto itself, so that it cannot be renamed or removed
 *   o PATH   the same, read-only
 *
 * `--watch` is in watch.c.
 *
 * A path that does not exist, or has a symbolic link in it, is left out: that only narrows, and nobody who can write
 * to a folder of the plan can lead us elsewhere by putting a link there. What the launcher does NOT do: hide something inside an
 * allowed folder (Landlock can only allow), and hold back changes of modes and times, or looks at names and metadata.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

int watch(int count, char **arguments);

enum { CANNOT_START = 125, MAX_PLAN_BYTES = 8 << 20, MAX_KEPT = 64, MAX_FILTER = 4096, LAST_CAPABILITY = 63 };

/* Of <linux/landlock.h>, written out because headers are often older than kernels. */
#define SYS_LANDLOCK_CREATE_RULESET 444
#define SYS_LANDLOCK_ADD_RULE 445
#define SYS_LANDLOCK_RESTRICT_SELF 446
#define LANDLOCK_VERSION 1u
#define LANDLOCK_PATH_BENEATH 1
#define EXECUTE (1ull << 0)
#define WRITE_FILE (1ull << 1)
#define READ_FILE (1ull << 2)
#define READ_DIR (1ull << 3)
#define REMOVE_DIR (1ull << 4)
#define REMOVE_FILE (1ull << 5)
#define MAKE_DIR (1ull << 7)
#define MAKE_REG (1ull << 8)
#define MAKE_FIFO (1ull << 10)
#define MAKE_SYM (1ull << 12)
#define REFER (1ull << 13)
#define TRUNCATE (1ull << 14)
#define IOCTL_DEV (1ull << 15)
#define ALL_ABI_1 ((1ull << 13) - 1)
#define ALL_TCP 3ull
#define ALL_SCOPES 3ull

struct ruleset_attributes { uint64_t files, tcp, scopes; };
struct path_rule { uint64_t allowed; int32_t parent; } __attribute__((packed));

#define READING (EXECUTE | READ_FILE | READ_DIR)
#define CHANGING (WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_FIFO | MAKE_SYM | REFER | TRUNCATE)
/* A rule for something that is not a folder may hold no other rights. */
#define OF_A_FILE (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)

static void stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("Cannot start in the sandbox: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  _exit(CANNOT_START);
}

static int landlock_abi(void) {
  return (int)syscall(SYS_LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_VERSION);
}

/* What this kernel can hold back. Rights it does not know would make it refuse the whole set. */
static struct ruleset_attributes handled(int abi, int network) {
  struct ruleset_attributes all = {ALL_ABI_1, 0, 0};
  if (abi >= 2) all.files |= REFER;
  if (abi >= 3) all.files |= TRUNCATE;
  if (abi >= 4 && !network) all.tcp = ALL_TCP;
  if (abi >= 5) all.files |= IOCTL_DEV;
  if (abi >= 6) all.scopes = ALL_SCOPES;
  return all;
}

static int create_ruleset(int abi, struct ruleset_attributes attributes) {
  /* Older kernels refuse a structure that is longer than theirs, unless the rest is zero, which it is. */
  size_t size = abi >= 6 ? sizeof attributes : abi >= 4 ? 16 : 8;
  int ruleset = (int)syscall(SYS_LANDLOCK_CREATE_RULESET, &attributes, size, 0);
  if (ruleset < 0) stop("Landlock makes no rules: %s", strerror(errno));
  return ruleset;
}

static void allow_path(int ruleset, uint64_t handled_files, const char *path, uint64_t rights) {
  struct stat found;
  struct open_how how = {O_PATH | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS};
  int opened = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
  if (opened < 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP) return;
    stop("%s: %s", path, strerror(errno));
  }
  if (fstat(opened, &found) != 0) stop("%s: %s", path, strerror(errno));
  if (!S_ISDIR(found.st_mode)) rights &= OF_A_FILE;
  struct path_rule rule = {rights & handled_files, opened};
  if (rule.allowed != 0 && syscall(SYS_LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0) != 0)
    stop("%s: Landlock takes no rule for it: %s", path, strerror(errno));
  close(opened);
}

/* What the program already holds it may open again under `/dev/stdout` and the like, with the rights it holds it with. */
static void allow_descriptor(int ruleset, uint64_t handled_files, int descriptor) {
  struct stat found;
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_PATH) || fstat(descriptor, &found) != 0 || S_ISDIR(found.st_mode)) return;
  int mode = flags & O_ACCMODE;
  uint64_t rights = (mode == O_WRONLY ? 0 : READ_FILE) | (mode == O_RDONLY ? 0 : WRITE_FILE | TRUNCATE);
  struct path_rule rule = {rights & handled_files, descriptor};
  syscall(SYS_LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0); /* Refused for plain pipes and sockets, which need none. */
}

/* The plan, with a zero byte behind it. */
static char *read_plan(int descriptor, size_t *length) {
  char *plan = malloc(MAX_PLAN_BYTES + 1);
  if (plan == NULL) stop("no memory for the plan");
  *length = 0;
  for (;;) {
    ssize_t got = read(descriptor, plan + *length, MAX_PLAN_BYTES - *length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) stop("the plan cannot be read: %s", strerror(errno));
    if (got == 0) break;
    *length += (size_t)got;
    if (*length == MAX_PLAN_BYTES) stop("the plan has more than %d bytes", MAX_PLAN_BYTES);
  }
  if (*length == 0 || plan[*length - 1] != '\0') stop("the plan is not complete");
  plan[*length] = '\0';
  return plan;
}

static long number(const char *text) {
  char *end;
  long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 0) stop("the plan has \"%s\" in place of a number", text);
  return value;
}

static int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  stop("the filter is not hexadecimal");
  return 0;
}

static struct sock_fprog read_filter(const char *hex) {
  static struct sock_filter instructions[MAX_FILTER];
  size_t bytes = strlen(hex) / 2;
  if (bytes == 0 || strlen(hex) % 16 != 0 || bytes > sizeof instructions) stop("the filter has a wrong length");
  unsigned char *to = (unsigned char *)instructions;
  for (size_t at = 0; at < bytes; at++)
    to[at] = (unsigned char)(hex_digit(hex[2 * at]) << 4 | hex_digit(hex[2 * at + 1]));
  struct sock_fprog filter = {(unsigned short)(bytes / sizeof *instructions), instructions};
  return filter;
}

/* Everything above 2 that the plan does not name. The list is sorted by the caller. */
static void close_others(const int *kept, int count) {
  unsigned int from = 3;
  for (int at = 0; at <= count; at++) {
    unsigned int to = at == count ? ~0u : (unsigned int)kept[at] - 1;
    if (from <= to && syscall(SYS_close_range, from, to, 0) != 0) stop("descriptors cannot be closed: %s", strerror(errno));
    if (at < count) from = (unsigned int)kept[at] + 1;
  }
}

/* Root keeps its user number, and none of its powers, not even those a set-user-ID program would bring. */
static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  for (int capability = 0; capability <= LAST_CAPABILITY; capability++)
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0); /* Refused to those who have none to lose. */
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  memset(sets, 0, sizeof sets);
  if (syscall(SYS_capset, &header, sets) != 0) stop("capabilities cannot be dropped: %s", strerror(errno));
  if (geteuid() != 0) return;
  for (int capability = 0; capability <= LAST_CAPABILITY; capability++)
    if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1) stop("capability %d cannot be dropped", capability);
}

/* A path that went meanwhile protects nothing any more. */
static void mount_onto_itself(const char *path, int read_only) {
  struct statvfs found;
  if (mount(path, path, NULL, MS_BIND | MS_REC, NULL) != 0) {
    if (errno == ENOENT) return;
    stop("%s: cannot be mounted onto itself: %s", path, strerror(errno));
  }
  if (!read_only) return;
  if (statvfs(path, &found) != 0) stop("%s: %s", path, strerror(errno));
  /* Flags that the mount has may not be taken away by a namespace of less power. */
  unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
  if (found.f_flag & ST_NOEXEC) flags |= MS_NOEXEC;
  if (found.f_flag & ST_NOATIME) flags |= MS_NOATIME;
  if (found.f_flag & ST_NODIRATIME) flags |= MS_NODIRATIME;
  if (found.f_flag & ST_RELATIME) flags |= MS_RELATIME;
  if (mount(NULL, path, NULL, flags, NULL) != 0) stop("%s: cannot be made read-only: %s", path, strerror(errno));
}

static void restrict_self(int ruleset, struct sock_fprog filter) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) stop("no_new_privs: %s", strerror(errno));
  if (ruleset >= 0) {
    if (syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0) != 0) stop("Landlock: %s", strerror(errno));
    close(ruleset);
  }
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) stop("seccomp: %s", strerror(errno));
}

/* Does all of it with an empty plan, and prints the version of Landlock. */
static int probe(void) {
  struct sock_filter allow_all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog filter = {1, &allow_all};
  int abi = landlock_abi();
  if (abi < 1) stop("Landlock is not there: %s", strerror(errno));
  int ruleset = create_ruleset(abi, handled(abi, 0));
  drop_capabilities();
  restrict_self(ruleset, filter);
  printf("%d\n", abi);
  return 0;
}

/* The same for `--mount`. */
static int probe_mount(void) {
  if (unshare(CLONE_NEWNS) != 0) stop("mounts of its own: %s", strerror(errno));
  mount_onto_itself("/tmp", 1);
  drop_capabilities();
  return 0;
}

static int ascending(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "--probe") == 0) return probe();
  if (count == 2 && strcmp(arguments[1], "--probe-mount") == 0) return probe_mount();
  if (count > 1 && strcmp(arguments[1], "--watch") == 0) return watch(count, arguments);
  int mounts = count > 1 && strcmp(arguments[1], "--mount") == 0;
  if (mounts) {
    arguments++;
    count--;
  }
  if (count < 4) stop("usage: rootward-launcher [--mount] PLAN_FD FOLDER PROGRAM [ARGUMENT...]");
  int kept[MAX_KEPT], kept_count = 0, network = 0;
  long parent = 0;
  const char *hex = NULL;
  size_t length;
  char *plan = read_plan((int)number(arguments[1]), &length);
  char *end = plan + length;

  for (char *record = plan; record < end; record += strlen(record) + 1) {
    if (record[0] == 'n') network = 1;
    if (record[0] == 'p') parent = number(record + 1);
    if (record[0] == 'f') hex = record + 1;
    if (record[0] == 'k') {
      int descriptor = (int)number(record + 1);
      if (descriptor < 3) continue;
      if (kept_count == MAX_KEPT) stop("the plan keeps more than %d descriptors", MAX_KEPT);
      kept[kept_count++] = descriptor;
    }
  }
  if (hex == NULL) stop("the plan has no filter");
  struct sock_fprog filter = read_filter(hex);
  qsort(kept, (size_t)kept_count, sizeof *kept, ascending);
  close_others(kept, kept_count);

  if (parent != 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) stop("parent: %s", strerror(errno));
    if (getppid() != parent) _exit(CANNOT_START); /* It died before we could ask. */
  }

  if (mounts) {
    if (unshare(CLONE_NEWNS) != 0) stop("mounts of its own: %s", strerror(errno));
    for (char *record = plan; record < end; record += strlen(record) + 1)
      if (record[0] == 'b' || record[0] == 'o') mount_onto_itself(record + 1, record[0] == 'o');
    /* Only the path leads through the new mounts. */
    if (chdir(arguments[2]) != 0) stop("%s: %s", arguments[2], strerror(errno));
    drop_capabilities();
    restrict_self(-1, filter);
    execvp(arguments[3], arguments + 3);
    stop("%s: %s", arguments[3], strerror(errno));
  }

  int abi = landlock_abi();
  if (abi < 1) stop("Landlock is not there: %s", strerror(errno));
  struct ruleset_attributes held = handled(abi, network);
  int ruleset = create_ruleset(abi, held);
  for (char *record = plan; record < end; record += strlen(record) + 1) {
    switch (record[0]) {
      case 'r': allow_path(ruleset, held.files, record + 1, READING); break;
      case 'w': allow_path(ruleset, held.files, record + 1, READING | CHANGING); break;
      case 'd': allow_path(ruleset, held.files, record + 1, READ_FILE | WRITE_FILE | IOCTL_DEV); break;
      case 'n': case 'p': case 'f': case 'k': break;
      default: stop("the plan has an unknown record \"%s\"", record);
    }
  }
  allow_path(ruleset, held.files, arguments[2], READING | CHANGING);
  for (int descriptor = 0; descriptor <= 2; descriptor++) allow_descriptor(ruleset, held.files, descriptor);
  for (int at = 0; at < kept_count; at++) allow_descriptor(ruleset, held.files, kept[at]);
  drop_capabilities();
  restrict_self(ruleset, filter);
  execvp(arguments[3], arguments + 3);
  stop("%s: %s", arguments[3], strerror(errno));
}
