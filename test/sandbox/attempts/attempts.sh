#!/bin/bash
# Attempts to get out, in shell. Prints "NAME 1" for each that succeeded and "NAME 0" for each that did not.
# Aims only at what the test itself made; where that is comes in variables that begin with A_.
try() { # NAME COMMAND...: with $f and $d, a file and a folder outside that belong to this attempt
  local name=$1 got=0
  f=$A_OUT/$name.txt d=$A_OUT/$name.d here=$A_ROOT/$name
  if "$2" >/dev/null 2>&1; then got=1; fi
  echo "$name $got"
}
secret() { grep -q secret; }

# First, so that they are on their way when the rest is done.
a() { setsid sleep 30.171 & disown; }; try sh-outlive-session a
a() { (setsid sh -c 'sleep 30.172 & sleep 30.173' &) ; }; try sh-outlive-twice a
a() { cat "$f" | secret; }; try sh-read a
a() { ln -s "$f" "$here" && cat "$here" | secret; }; try sh-read-through-link a
a() { cat "$A_ROOT/../out/sh-read-dotdot.txt" | secret; }; try sh-read-dotdot a
a() { cat "/proc/self/root$f" | secret; }; try sh-read-proc-root a
a() { cd "$A_ROOT" && cat "/proc/self/cwd/../out/sh-read-proc-cwd.txt" | secret; }; try sh-read-proc-cwd a
a() { cat < "$f" | secret; }; try sh-read-redirect a
a() { . "$f"; [ "$secret" = 1 ]; }; try sh-source a
a() { ls "$d" | grep -q inner; }; try sh-list a
a() { find "$A_OUT" -name 'sh-find.txt' | grep -q sh-find; }; try sh-find a
a() { set -- "$d"/*; [ "$1" = "$d/inner.txt" ]; }; try sh-glob a
a() { stat "$f"; }; try sh-stat a
a() { [ -e "$f" ]; }; try sh-exists a
a() { echo x > "$f"; }; try sh-overwrite a
a() { echo x >> "$f"; }; try sh-append a
a() { echo x > "$f.new"; }; try sh-create a
a() { ln -s "$A_OUT" "$here" && echo x > "$here/sh-create-through-link.new"; }; try sh-create-through-link a
a() { mkdir "$d/new"; }; try sh-mkdir a
a() { rm "$f"; }; try sh-remove a
a() { rm -r "$d" && [ ! -e "$d/inner.txt" ]; }; try sh-remove-folder a
a() { mv "$f" "$here" && cat "$here" | secret; }; try sh-move-in a
a() { echo x > "$here" && mv "$here" "$f.new" && [ -e "$f.new" ]; }; try sh-move-out a
a() { mv "$f" "$f.new"; }; try sh-rename a
a() { mv "$d" "$d.new"; }; try sh-rename-folder a
a() { ln "$f" "$here" && cat "$here" | secret; }; try sh-hard-link-in a
a() { echo x > "$here" && ln "$here" "$f.new"; }; try sh-hard-link-out a
a() { ln -s /nowhere "$f.new"; }; try sh-link-out a
a() { mkfifo "$f.new"; }; try sh-fifo-out a
a() { truncate -s 0 "$f"; }; try sh-truncate a
a() { chmod 0644 "$f"; }; try sh-chmod a
a() { chown "$(id -u)" "$f"; }; try sh-chown a
a() { touch -d '2001-01-01' "$f"; }; try sh-touch a
a() { cp -r "$d" "$here" && cat "$here/inner.txt" | secret; }; try sh-copy-in a
a() { tar -C "$A_OUT" -cf - sh-tar.txt | secret; }; try sh-tar a
a() { "$A_OUT/sh-execute.txt.run"; }; try sh-execute a
a() { echo x >> "$A_HOME/.bashrc"; }; try sh-bashrc a
a() { echo x > "$A_HOME/.profile"; }; try sh-profile a
a() { echo x > "$A_HOME/.zshenv"; }; try sh-zshenv a
a() { cat "$A_HOME/.ssh/id_test" | secret; }; try sh-ssh-key a
a() { cat "$A_HOME/.aws/credentials" | secret; }; try sh-aws a
a() { cat "$A_HOME/.netrc" | secret; }; try sh-netrc a
a() { cat "/proc/self/root$A_HOME/.ssh/id_test" | secret; }; try sh-ssh-key-proc-root a
a() { ln -s "$A_HOME/.ssh" "$here" && cat "$here/id_test" | secret; }; try sh-ssh-key-link a
a() { echo x > "$A_TOOLS/tool.sh"; }; try sh-tools-project a
a() { echo x > "$A_ROOT/project/tools/tool.sh"; }; try sh-tools-in-root a
a() { rm -r "$A_ROOT/project/tools" && [ ! -e "$A_ROOT/project/tools" ]; }; try sh-tools-removed a
a() { echo x > "$A_ROOT/.rootward.json"; }; try sh-rules a
a() { echo x > "$A_ROOT/.git/hooks/pre-commit"; }; try sh-git-hook a
a() { cat "$A_ROOT/denied.txt" | secret; }; try sh-denied-file a
a() { cat "$A_ROOT/denied.d/inner.txt" | secret; }; try sh-denied-folder a
a() { mv "$A_ROOT/denied2.txt" "$here" && cat "$here" | secret; }; try sh-denied-moved a
a() { echo x > "$A_READ_ONLY/file.txt"; }; try sh-read-only-root a
a() { rm "$A_READ_ONLY/gone.txt"; }; try sh-read-only-root-remove a
a() { cat "$A_TMP/secret.txt" | secret; }; try sh-other-tmp a
a() { cat "$A_SHM" | secret; }; try sh-shared-memory-read a
a() { [ -s "$A_SHM" ] && echo x >> "$A_SHM"; }; try sh-shared-memory-write a
a() { tr '\0' '\n' < "/proc/$A_VICTIM/environ" | secret; }; try sh-environ a
a() { tr '\0' ' ' < "/proc/$A_VICTIM/cmdline" | grep -q victim; }; try sh-command-line a
a() { cat "/proc/$A_VICTIM/fd/$A_VICTIM_FD" | secret; }; try sh-descriptor a
a() { cat "/proc/$A_VICTIM/root$f" | secret; }; try sh-process-root a
a() { ls "/proc/$A_VICTIM/cwd/" | grep -q inner; }; try sh-process-cwd a
a() { cat "/proc/$A_VICTIM/maps" | grep -q python; }; try sh-process-maps a
a() { kill -0 "$A_VICTIM"; }; try sh-signal-probe a
a() { kill -USR1 "$A_VICTIM"; }; try sh-signal a
a() { renice -n 5 -p "$A_VICTIM"; }; try sh-renice a
a() { readlink /proc/self/fd/50 | grep -q inherited; }; try sh-inherited-descriptor a
a() { echo x >&51; }; try sh-inherited-descriptor-write a
a() { [ "$("$A_ROOT/set-user-id" -u)" = 12345 ]; }; try sh-set-user-id a
a() { mount -t tmpfs none "$A_ROOT/mount"; }; try sh-mount a
a() { mount --bind "$A_OUT" "$A_ROOT/mount"; }; try sh-mount-bind a
a() { unshare --user --map-root-user cat "$f" | secret; }; try sh-user-namespace a
a() { unshare --mount cat "$f" | secret; }; try sh-mount-namespace a
a() { nsenter -t "$A_VICTIM" -m cat "$f" | secret; }; try sh-enter-namespace a
a() { chroot / cat "$f" | secret; }; try sh-chroot a
a() { exec 9<>"/dev/tcp/127.0.0.1/$A_TCP" && echo sh-tcp >&9; }; try sh-tcp a
a() { echo sh-udp > "/dev/udp/127.0.0.1/$A_UDP"; }; try sh-udp a
