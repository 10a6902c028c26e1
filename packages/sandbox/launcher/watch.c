/*
 * The part of the launcher that finds names below a folder, and knows them again without looking at everything.
 *
 *   rootward-launcher --watch FOLDER MAX_FOLDERS ENDING...
 *
 * An ending is a path such as `.git` or `.vscode/mcp.json`; it matches whatever ends with it, in any letter case, and its
 * last name may have `*` in it. A git directory is found by its contents as well, whatever its name is. Each byte on stdin is a question; the answer is a
 * list of records, each ended by a zero byte, the last one `.` and `w` (watched) or `n` (walked each time):
 *
 *   d PATH   a folder that matches; nothing in it is looked at
 *   f PATH   a file or anything else that matches
 *   l PATH   a symbolic link that matches
 *   u PATH   a folder that was not looked at: it cannot be read, is too deep, or is one too many
 *
 * The kernel puts each change into the queue of inotify before the call that makes it returns. So an answer holds
 * everything that happened before its question. A queue that ran over, new mounts and a replaced folder make us walk
 * again. Where changes may come from elsewhere (network disks), or watches run out, every question is a walk. What
 * this does NOT do: follow links, or look at the contents of files.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int watch(int count, char **arguments);

/* A path that leaves no room for a longer name cannot be mounted. */
enum { MAX_DEPTH = 200, MAX_PATH = 4096, MAX_LOOKED_INTO = 3800 };
enum { BUCKETS = 1 << 16, MAX_ROUNDS = 100, EVENT_BYTES = 1 << 16 };

/* Disks that nobody else can change: those of this machine, and what containers lay over them. */
static const uint32_t LOCAL_DISKS[] = {0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0x2fc12fc1, 0x794c7630};

struct folder {
  struct folder *parent, *child, *next, *same_bucket;
  int wd;
  ino_t inode;
  char dirty, failed, seen;
  char *found; /* Records without the path of the folder: a letter and a name, or nothing for the folder itself. */
  size_t found_length;
  char name[];
};

static char **endings, **holders;
static int ending_count, holder_count, inotify = -1, watchable, any_dirty, any_failed;
static long folders, max_folders, max_watches;
static const char *top_path;
static struct stat top_found;
static struct folder *top, *buckets[BUCKETS];
static char *answer;
static size_t answer_length, answer_room;

static void *need(void *memory) {
  if (memory == NULL) _exit(1); /* Whoever asked walks by itself. */
  return memory;
}

static void append(char **text, size_t *length, size_t *room, const char *more, size_t bytes) {
  if (*length + bytes > *room) *text = need(realloc(*text, *room = (*length + bytes) * 2));
  memcpy(*text + *length, more, bytes);
  *length += bytes;
}

/* The path of a folder, written from the end of a buffer; NULL if it is too long. */
static char *path_of(const struct folder *folder, char *end, const char *start) {
  *--end = '\0';
  for (; folder->parent != NULL; folder = folder->parent) {
    size_t length = strlen(folder->name);
    if (end - start < (long)length + 1) return NULL;
    end = memcpy(end - length, folder->name, length);
    *--end = '/';
  }
  size_t length = strcmp(top_path, "/") == 0 ? 0 : strlen(top_path);
  return end - start < (long)length ? NULL : memcpy(end - length, top_path, length);
}

static int ends_with(const struct folder *folder, const char *name, const char *ending) {
  const char *last = strrchr(ending, '/');
  if (fnmatch(last == NULL ? ending : last + 1, name, FNM_CASEFOLD) != 0) return 0;
  while (last != NULL) {
    const char *end = last;
    while (last > ending && last[-1] != '/') last--;
    if (folder == NULL || folder->parent == NULL) return 0;
    size_t length = (size_t)(end - last);
    if (strlen(folder->name) != length || strncasecmp(folder->name, last, length) != 0) return 0;
    folder = folder->parent;
    last = last > ending ? last - 1 : NULL;
  }
  return 1;
}

static int matches(const struct folder *folder, const char *name) {
  for (int at = 0; at < ending_count; at++)
    if (ends_with(folder, name, endings[at])) return 1;
  return 0;
}

/* A link of such a name leads to what is looked for. */
static int holds(const struct folder *folder, const char *name) {
  for (int at = 0; at < holder_count; at++)
    if (ends_with(folder, name, holders[at])) return 1;
  return 0;
}

/* The folders in the endings, each with those around it. */
static void find_holders(void) {
  for (int at = 0; at < ending_count; at++)
    for (const char *end = endings[at]; (end = strchr(end, '/')) != NULL; end++) {
      holders = need(realloc(holders, (size_t)(holder_count + 1) * sizeof *holders));
      holders[holder_count++] = need(strndup(endings[at], (size_t)(end - endings[at])));
    }
}

static struct folder **bucket(int wd) {
  return &buckets[(unsigned)wd % BUCKETS];
}

static struct folder *by_watch(int wd) {
  struct folder *found = *bucket(wd);
  while (found != NULL && found->wd != wd) found = found->same_bucket;
  return found;
}

static void forget_watch(struct folder *folder) {
  if (folder->wd < 0) return;
  struct folder **at = bucket(folder->wd);
  while (*at != folder) at = &(*at)->same_bucket;
  *at = folder->same_bucket;
  folder->wd = -1;
}

static void mark(struct folder *folder) {
  folder->dirty = any_dirty = 1;
}

static void stop_watching(struct folder *folder) {
  if (folder->wd < 0) return;
  inotify_rm_watch(inotify, folder->wd);
  forget_watch(folder);
}

static void drop(struct folder *folder) {
  for (struct folder *child = folder->child, *next; child != NULL; child = next) {
    next = child->next;
    drop(child);
  }
  stop_watching(folder);
  folders--;
  free(folder->found);
  free(folder);
}

static struct folder *add(struct folder *parent, const char *name) {
  struct folder *made = need(calloc(1, sizeof *made + strlen(name) + 1));
  strcpy(made->name, name);
  made->wd = -1;
  made->parent = parent;
  if (parent != NULL) {
    made->next = parent->child;
    parent->child = made;
  }
  folders++;
  return made;
}

static void start_watching(struct folder *folder, int opened) {
  char path[32];
  if (!watchable) return;
  snprintf(path, sizeof path, "/proc/self/fd/%d", opened);
  int wd = inotify_add_watch(inotify, path,
                             IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR);
  if (wd < 0 || folders > max_watches) {
    watchable = 0;
    return;
  }
  struct folder *before = by_watch(wd);
  if (before == folder) return;
  stop_watching(folder); /* Another folder had this name. */
  if (before != NULL) { /* It was moved here, and its old folder has not been looked at again. */
    forget_watch(before);
    if (before->parent != NULL) mark(before->parent);
  }
  folder->wd = wd;
  folder->same_bucket = *bucket(wd);
  *bucket(wd) = folder;
}

static int is_local(int opened) {
  struct statfs disk;
  if (fstatfs(opened, &disk) != 0) return 0;
  for (size_t at = 0; at < sizeof LOCAL_DISKS / sizeof *LOCAL_DISKS; at++)
    if ((uint32_t)disk.f_type == LOCAL_DISKS[at]) return 1;
  return 0;
}

static void note(struct folder *folder, size_t *room, char kind, const char *name) {
  append(&folder->found, &folder->found_length, room, &kind, 1);
  append(&folder->found, &folder->found_length, room, name, strlen(name) + 1);
}

static char kind_of(int opened, const struct dirent *entry) {
  struct stat found;
  if (entry->d_type == DT_DIR) return 'd';
  if (entry->d_type == DT_LNK) return 'l';
  if (entry->d_type != DT_UNKNOWN) return 'f';
  if (fstatat(opened, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) return 'f';
  return S_ISDIR(found.st_mode) ? 'd' : S_ISLNK(found.st_mode) ? 'l' : 'f';
}

static void fail(struct folder *folder) {
  folder->failed = any_failed = 1;
}

static void look(struct folder *folder, int opened, int depth);

static void descend(struct folder *folder, int opened, int depth) {
  int inner = openat(opened, folder->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner >= 0) look(folder, inner, depth);
  else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) fail(folder);
  else mark(folder->parent); /* It went since its name was read. */
}

/* Reads one folder, and those in it that are new. Takes over the descriptor. */
static void look(struct folder *folder, int opened, int depth) {
  struct stat found;
  char path[MAX_PATH];
  size_t room = 0;
  free(folder->found);
  folder->found = NULL;
  folder->found_length = 0;
  folder->dirty = folder->failed = 0;
  if (folders > max_folders || depth > MAX_DEPTH ||
      path_of(folder, path + sizeof path, path + sizeof path - MAX_LOOKED_INTO) == NULL) {
    fail(folder);
    close(opened);
    return;
  }
  start_watching(folder, opened);
  DIR *entries = fstat(opened, &found) == 0 ? fdopendir(opened) : NULL;
  if (entries == NULL) {
    fail(folder);
    close(opened);
    return;
  }
  if (found.st_dev != top_found.st_dev && !is_local(opened)) watchable = 0;
  folder->inode = found.st_ino;
  for (struct folder *child = folder->child; child != NULL; child = child->next) child->seen = 0;

  enum { HEAD = 1, OBJECTS = 2, REFS = 4, COMMON = 8 };
  int shape = 0;
  for (struct dirent *entry; errno = 0, (entry = readdir(entries)) != NULL;) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    if (strcasecmp(name, "HEAD") == 0) shape |= HEAD;
    if (strcasecmp(name, "objects") == 0) shape |= OBJECTS;
    if (strcasecmp(name, "refs") == 0) shape |= REFS;
    if (strcasecmp(name, "commondir") == 0) shape |= COMMON;
    char kind = kind_of(opened, entry);
    if (matches(folder, name) || (kind == 'l' && holds(folder, name))) {
      note(folder, &room, kind, name);
      continue;
    }
    if (kind != 'd') continue;
    struct folder *child = folder->child;
    while (child != NULL && strcmp(child->name, name) != 0) child = child->next;
    if (child != NULL && child->inode == entry->d_ino && child->wd >= 0 && !child->failed) child->seen = 1;
    else if (child == NULL) add(folder, name)->seen = 2;
    else child->seen = 2;
  }
  if (errno != 0) fail(folder);
  int is_git = (shape & HEAD) && ((shape & COMMON) || (shape & (OBJECTS | REFS)) == (OBJECTS | REFS));
  if (is_git) note(folder, &room, 'd', "");
  for (struct folder **at = &folder->child; *at != NULL;) {
    struct folder *child = *at;
    if (child->seen == 0 || is_git) {
      *at = child->next;
      drop(child);
      continue;
    }
    if (child->seen == 2) descend(child, opened, depth + 1);
    at = &child->next;
  }
  closedir(entries);
}

static int open_folder(const struct folder *folder) {
  char path[MAX_PATH], *start = path_of(folder, path + sizeof path, path);
  struct open_how how = {O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS};
  return start == NULL ? -1 : (int)syscall(SYS_openat2, AT_FDCWD, *start == '\0' ? "/" : start, &how, sizeof how);
}

static int depth_of(const struct folder *folder) {
  int depth = 0;
  for (; folder->parent != NULL; folder = folder->parent) depth++;
  return depth;
}

static void start_again(void) {
  if (inotify >= 0) close(inotify);
  inotify = -1;
  if (top != NULL) drop(top);
  memset(buckets, 0, sizeof buckets);
  any_dirty = any_failed = 0;
  folders = 0;
  if (max_watches > 0) inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  watchable = inotify >= 0;
  top = add(NULL, "");
  int opened = open_folder(top);
  if (opened < 0) {
    fail(top);
    return;
  }
  if (fstat(opened, &top_found) != 0 || !is_local(opened)) watchable = 0;
  look(top, opened, 0);
  if (watchable) return;
  /* Others need watches, too. */
  if (inotify >= 0) close(inotify);
  inotify = -1;
}

/* Notes which folders must be looked at again. False when something may have been missed. */
static int read_events(void) {
  static char events[EVENT_BYTES] __attribute__((aligned(8)));
  for (;;) {
    ssize_t got = read(inotify, events, sizeof events);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return errno == EAGAIN;
    for (char *at = events; at < events + got;) {
      struct inotify_event *event = (struct inotify_event *)at;
      at += sizeof *event + event->len;
      if (event->mask & (IN_Q_OVERFLOW | IN_UNMOUNT)) return 0;
      struct folder *folder = by_watch(event->wd);
      if (folder == NULL) continue;
      if (event->mask & IN_IGNORED) {
        forget_watch(folder);
        if (folder->parent == NULL) return 0;
        mark(folder->parent);
      } else if (event->mask & IN_ISDIR || strcasecmp(event->name, "HEAD") == 0 ||
                 strcasecmp(event->name, "commondir") == 0 || strcasecmp(event->name, "objects") == 0 ||
                 strcasecmp(event->name, "refs") == 0 || matches(folder, event->name) ||
                 holds(folder, event->name)) {
        mark(folder);
      }
    }
  }
}

static void look_at_dirty(struct folder *folder) {
  if (folder->dirty) {
    int opened = open_folder(folder);
    if (opened >= 0) look(folder, opened, depth_of(folder));
    else if (folder->parent == NULL || (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)) fail(folder);
    else mark(folder->parent);
  }
  for (struct folder *child = folder->child; child != NULL; child = child->next) look_at_dirty(child);
}

/* What could not be read may have become readable, which nobody is told. */
static void try_failed_again(struct folder *folder) {
  if (folder->failed) mark(folder->parent == NULL ? folder : folder->parent);
  for (struct folder *child = folder->child; child != NULL; child = child->next) try_failed_again(child);
}

static void write_folder(const struct folder *folder) {
  char path[MAX_PATH], *start = path_of(folder, path + sizeof path, path);
  if (start == NULL) return; /* Its failed parent is in the list. */
  size_t length = strlen(start);
  if (folder->failed) {
    append(&answer, &answer_length, &answer_room, "u", 1);
    append(&answer, &answer_length, &answer_room, length == 0 ? "/" : start, length == 0 ? 2 : length + 1);
  }
  for (const char *at = folder->found; at != NULL && at < folder->found + folder->found_length;) {
    size_t name = strlen(at + 1);
    append(&answer, &answer_length, &answer_room, at, 1);
    append(&answer, &answer_length, &answer_room, start, length);
    if (name > 0) append(&answer, &answer_length, &answer_room, "/", 1);
    append(&answer, &answer_length, &answer_room, at + 1, name + 1);
    at += name + 2;
  }
  for (const struct folder *child = folder->child; child != NULL; child = child->next) write_folder(child);
}

static int is_same_top(void) {
  struct stat now;
  return lstat(top_path, &now) == 0 && now.st_dev == top_found.st_dev && now.st_ino == top_found.st_ino;
}

static void bring_up_to_date(int tables) {
  struct pollfd table = {tables, POLLPRI, 0};
  int changed = 0;
  if (tables < 0 || poll(&table, 1, 0) != 0 || !watchable || !is_same_top()) {
    start_again();
    changed = 1;
  } else if (any_failed) {
    any_failed = 0;
    try_failed_again(top);
  }
  for (int round = 0; watchable; round++) {
    if (!read_events()) {
      start_again();
      changed = 1;
    } else if (any_dirty) {
      any_dirty = 0;
      look_at_dirty(top);
      changed = 1;
    } else {
      break;
    }
    if (round == MAX_ROUNDS) { /* Somebody changes it faster than it can be followed. */
      fail(top);
      break;
    }
  }
  if (!changed) return;
  answer_length = 0;
  write_folder(top);
  append(&answer, &answer_length, &answer_room, watchable ? ".w" : ".n", 3);
}

/* No more than half of what the user may have. */
static long read_max_watches(void) {
  FILE *file = fopen("/proc/sys/fs/inotify/max_user_watches", "re");
  long most = 0;
  if (file == NULL) return 0;
  if (fscanf(file, "%ld", &most) != 1) most = 0;
  fclose(file);
  return most / 2;
}

int watch(int count, char **arguments) {
  if (count < 4) return 2;
  top_path = arguments[2];
  max_folders = atol(arguments[3]);
  endings = arguments + 4;
  ending_count = count - 4;
  find_holders();
  max_watches = read_max_watches();
  /* Readable "with priority" after each change of what is mounted. */
  int tables = open("/proc/self/mounts", O_RDONLY | O_CLOEXEC);
  for (;;) {
    struct pollfd waits[] = {{STDIN_FILENO, POLLIN, 0}, {inotify, POLLIN, 0}};
    if (poll(waits, watchable ? 2 : 1, -1) < 0 && errno != EINTR) return 1;
    /* Before the queue runs over. */
    if (waits[1].revents != 0 && watchable && !read_events()) watchable = 0;
    if (waits[0].revents == 0) continue;
    char question;
    if (read(STDIN_FILENO, &question, 1) != 1) return 0;
    bring_up_to_date(tables);
    for (size_t at = 0; at < answer_length;) {
      ssize_t written = write(STDOUT_FILENO, answer + at, answer_length - at);
      if (written < 0 && errno != EINTR) return 1;
      if (written > 0) at += (size_t)written;
    }
  }
}
