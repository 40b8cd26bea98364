// Shell lines that try to leave a sandbox: each prints the host's token, or BREACH where it got through otherwise.

/** Where a trick must fail. */
export interface TrickSetting {
  readonly level: "guard" | "workspace";
  /** A name of `HOLDFAST_SANDBOX_BACKENDS`. */
  readonly backend: string;
}

export interface Trick {
  readonly name: string;
  /**
   * Variables: HOME_FOLDER, HOST_PID, HELPER_PID, PROGRAM, POLICY, CONFIG, NODE, and USER_FOLDER, which has
   * credentials and start-up files.
   */
  readonly line: string;
  /** False where the report of the sandbox names it as a gap. */
  readonly isStopped?: (setting: TrickSetting) => boolean;
}

const hasOwnProcesses = ({ backend }: TrickSetting): boolean => !/shared|landlock/.test(backend);
const isBubblewrap = ({ backend }: TrickSetting): boolean => backend.startsWith("bubblewrap");
const isWorkspace = ({ level }: TrickSetting): boolean => level === "workspace";

/** Prints BREACH for each file that can be opened for writing, and changes none. */
const openForWriting = (files: string): string =>
  `for f in ${files}; do [ -e "$f" ] && (: >> "$f") 2>/dev/null && echo "BREACH $f"; done; true`;

const readTricks: readonly Trick[] = [
  { name: "reading the token", line: 'cat "$HOME_FOLDER/token"' },
  { name: "`..`", line: 'cat ../home/token "$HOME_FOLDER/../home/./token"' },
  { name: "a symbolic link", line: 'ln -sf "$HOME_FOLDER" link; cat link/token; rm link' },
  { name: "a hard link", line: 'ln "$HOME_FOLDER/token" hard; cat hard' },
  { name: "/proc/self/root", line: 'cat "/proc/self/root$HOME_FOLDER/token" "/proc/self/cwd/../home/token"' },
  { name: "the host's root", line: 'cat "/proc/$HOST_PID/root$HOME_FOLDER/token"' },
  {
    name: "the helper's root and folder",
    line: 'cat "/proc/$HELPER_PID/root$HOME_FOLDER/token"; cd "/proc/$HELPER_PID/cwd" && cat "$HOME_FOLDER/token"',
  },
  { name: "any process's root", line: 'cat /proc/[0-9]*/root"$HOME_FOLDER"/token' },
  {
    name: "open files of every process",
    line: 'for f in /proc/[0-9]*/fd/*; do [ -f "$f" ] || [ -d "$f" ] || continue; case $(readlink "$f") in "$HOME_FOLDER"*) echo "BREACH $f";; esac; done; true',
  },
  {
    name: "folders left open by the launcher",
    line: 'for f in /proc/self/fd/*; do [ -d "$f" ] && cat "$f$HOME_FOLDER/token" "$f/../home/token"; done',
  },
  { name: "the host's memory", line: 'head -c 1 "/proc/$HOST_PID/mem" | grep -q . && echo BREACH' },
  {
    name: "the host's environment",
    line: 'tr "\\0" "\\n" < "/proc/$HOST_PID/environ" | grep -q . && echo BREACH',
  },
  {
    name: "a debugger",
    line: 'timeout 5 strace -p "$HOST_PID" -e trace=none 2>&1 | grep -q " attached$" && echo BREACH',
  },
  { name: "unmounting", line: 'umount "$HOME_FOLDER"; umount -l "$HOME_FOLDER"; cat "$HOME_FOLDER/token"' },
  { name: "namespaces of the first process", line: 'nsenter -t 1 -m -p cat "$HOME_FOLDER/token"' },
  { name: "namespaces of the host", line: 'nsenter -t "$HOST_PID" -a cat "$HOME_FOLDER/token"' },
  {
    name: "mounting the parent elsewhere",
    line: 'mkdir -p m; mount --bind "$(dirname "$HOME_FOLDER")" m; mount --rbind "$(dirname "$HOME_FOLDER")" m; cat m/home/token; rmdir m',
  },
  {
    name: "a new user namespace",
    line: `unshare -Urm sh -c 'umount "$0"; umount -l "$0"; mkdir -p n; mount --bind "$(dirname "$0")" n; cat "$0/token" n/home/token' "$HOME_FOLDER"; rmdir n`,
  },
  {
    name: "an overlay in a new user namespace",
    line: `mkdir -p u w o; unshare -Urm sh -c 'mount -t overlay -o "lowerdir=$(dirname "$0"),upperdir=u,workdir=w" none o; cat o/home/token' "$HOME_FOLDER"; rm -rf u w o`,
  },
  {
    name: "another /proc in a new user namespace",
    line: `unshare -Urmpf sh -c 'mkdir -p p; mount -t proc none p; cat p/[0-9]*/root"$0"/token' "$HOME_FOLDER"; rmdir p`,
  },
  {
    name: "a bubblewrap in the sandbox",
    line: 'bwrap --unshare-user --dev-bind / / cat "$HOME_FOLDER/token"; bwrap --unshare-user --bind "$(dirname "$HOME_FOLDER")" /mnt --ro-bind /usr /usr --symlink usr/lib64 /lib64 --symlink usr/lib /lib /usr/bin/cat /mnt/home/token',
  },
  {
    name: "leaving by chroot",
    line: 'chroot "/proc/$HOST_PID/root" cat "$HOME_FOLDER/token"; chroot /proc/1/root cat "$HOME_FOLDER/token"',
  },
  {
    name: "a node of the disk",
    line: 'mknod disk b $(stat -c "%Hd %Ld" /) && head -c 1 disk | grep -q . && echo BREACH; rm -f disk',
  },
  {
    name: "a disk, memory and a mount of it",
    line: 'for f in /dev/vd? /dev/sd? /dev/nvme?n? /dev/mem /dev/kmem /dev/port /proc/kcore; do head -c 4096 "$f" 2>/dev/null | tr -d "\\0" | grep -qa . && echo "BREACH $f"; done; true',
    isStopped: ({ backend }) => backend !== "none",
  },
  {
    name: "searching everywhere",
    line: 'find "$HOME_FOLDER" "$(dirname "$HOME_FOLDER")" -name token -exec cat {} +; grep -rs . "$HOME_FOLDER" | head -3',
  },
  {
    name: "setuid programs",
    line: 'timeout 5 su -c "cat \\"$HOME_FOLDER/token\\"" </dev/null; timeout 5 sudo -n cat "$HOME_FOLDER/token"',
  },
  {
    name: "other commands' pipes and shells' nonces",
    line: 'for d in "${TMPDIR:-/tmp}" /tmp /dev/shm "${XDG_RUNTIME_DIR:-/nowhere}"; do ls -A "$d/holdfast-private-$(id -u)"/* "$d"/holdfast-fifos-*/* 2>/dev/null | grep -q . && echo "BREACH $d"; done; true',
    isStopped: isBubblewrap,
  },
  {
    name: "looking at the host's process",
    line: '[ "$(tr "\\0" " " < "/proc/$HOST_PID/cmdline" 2>/dev/null | grep -c -- "--home")" = 1 ] && echo BREACH',
    isStopped: hasOwnProcesses,
  },
];

const writeTricks: readonly Trick[] = [
  { name: "changing Holdfast's program", line: openForWriting('"$PROGRAM" "$(dirname "$PROGRAM")"/*.js') },
  {
    name: "a file beside the program",
    line: '(: > "$(dirname "$PROGRAM")/extra.js") 2>/dev/null && echo BREACH',
  },
  { name: "changing the policy and the configuration", line: openForWriting('"$POLICY" "$CONFIG"') },
  {
    name: "replacing the policy by another file",
    line: 'cp "$POLICY" new-policy; mv -f new-policy "$POLICY" && echo BREACH; rm -f "$POLICY" && echo BREACH',
  },
  {
    name: "changing the programs that run outside",
    line: openForWriting('"$NODE" /usr/bin/bwrap'),
    isStopped: isBubblewrap,
  },
  {
    name: "what the kernel executes outside",
    line: openForWriting(
      "/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /sys/kernel/uevent_helper /sys/fs/cgroup/*/release_agent /proc/sysrq-trigger",
    ),
  },
  {
    name: "moving to another cgroup",
    line: openForWriting(
      "/sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs /sys/fs/cgroup/*/*/cgroup.procs",
    ),
  },
  {
    name: "mounting cgroups in another namespace (T654)",
    line: `mkdir -p c; for make in "unshare -Urm" "unshare -UrmC" "bwrap --unshare-user --unshare-cgroup --cap-add ALL --dev-bind / /"; do for kind in "cgroup2" "cgroup -o memory" "cgroup -o freezer" "cgroup -o pids"; do $make sh -c 'mount -t $1 none c && { for f in c/cgroup.procs c/*.limit_in_bytes c/cgroup.max.depth; do (: >> "$f") && echo "BREACH $f"; done; mkdir c/x && echo BREACH folder && rmdir c/x; }' sh "$kind" 2>/dev/null; done; done; rmdir c; true`,
    isStopped: ({ backend }) => !backend.includes("util-linux"),
  },
  {
    name: "ending the host, the helper and the sandbox",
    line: 'kill -9 "$HOST_PID" "$HELPER_PID" 2>/dev/null && echo BREACH; kill -9 1; true',
    isStopped: hasOwnProcesses,
  },
  {
    name: "start-up files, git hooks and cron tables",
    line: openForWriting(
      '"$USER_FOLDER/.bashrc" "$USER_FOLDER/.profile" /etc/crontab /etc/profile "$USER_FOLDER/repository/.git/config"',
    ),
    isStopped: isWorkspace,
  },
  {
    name: "new files beside them",
    line: 'for d in "$USER_FOLDER" "$USER_FOLDER/repository/.git/hooks" /etc/cron.d /var/spool/cron /usr/local/bin; do (: > "$d/holdfast-attack") 2>/dev/null && echo "BREACH $d" && rm "$d/holdfast-attack"; done; true',
    isStopped: isWorkspace,
  },
  {
    name: "credentials",
    line: 'cat "$USER_FOLDER/.ssh/id_test" "$USER_FOLDER/.aws/credentials" "$USER_FOLDER/.netrc" | grep -q CREDENTIAL && echo BREACH',
    isStopped: isWorkspace,
  },
  {
    name: "sockets that lead out",
    line: 'for f in /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket "/tmp/tmux-$(id -u)"/*; do [ -S "$f" ] && echo "BREACH $f"; done; true',
    isStopped: (setting) => isWorkspace(setting) && isBubblewrap(setting),
  },
];

/** All tricks; each one is tried by a command and by the agent itself. */
export const tricks: readonly Trick[] = [...readTricks, ...writeTricks];

/** Whether a line got through. */
export function isBreach(output: string, token: string): boolean {
  return output.includes(token) || /^BREACH/m.test(output);
}
