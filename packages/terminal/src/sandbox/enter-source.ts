// The C program that takes a command into its sandbox: namespaces of a holder, or Landlock rules. Compiled where there is a compiler.

/**
 * `join` enters the namespaces of a holder, forks (a PID namespace takes only children), and ends as the command ended.
 * `restrict` sets Landlock rules for itself and executes the command in the same process.
 * It allocates nothing that grows and reads no file but the namespaces of its target.
 */
export const enterSource = String.raw`
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define SETUP_FAILED 126
#define NOT_FOUND 127

struct cap_header { uint32_t version; int pid; };
struct cap_data { uint32_t effective, permitted, inheritable; };

static void fail(const char *what, const char *name) {
  fprintf(stderr, "holdfast: %s %s: %s\n", what, name, strerror(errno));
  _exit(SETUP_FAILED);
}

/* A command may bring variables that would act on programs outside; they are set only in here. */
static void set_variable(char *assignment) {
  if (putenv(assignment) != 0) fail("cannot set", assignment);
}

static void execute(const char *cwd, char **argv) {
  if (cwd != NULL && chdir(cwd) != 0) fail("cannot change to", cwd);
  execv(argv[0], argv);
  int code = errno == ENOENT ? NOT_FOUND : SETUP_FAILED;
  fprintf(stderr, "holdfast: cannot execute %s: %s\n", argv[0], strerror(errno));
  _exit(code);
}

static void drop_capabilities(uint64_t mask) {
  for (int cap = 0; cap < 64; cap++) {
    if ((mask >> cap & 1) == 0) continue;
    if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0 && errno != EINVAL) fail("cannot drop", "capabilities");
  }
  struct cap_header header = {0x20080522, 0};
  struct cap_data data[2];
  if (syscall(SYS_capget, &header, data) != 0) fail("cannot read", "capabilities");
  for (int word = 0; word < 2; word++) {
    uint32_t keep = ~(uint32_t)(mask >> (32 * word));
    data[word].effective &= keep;
    data[word].permitted &= keep;
    data[word].inheritable &= keep;
  }
  if (syscall(SYS_capset, &header, data) != 0) fail("cannot drop", "capabilities");
}

static int open_namespace(const char *target, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/ns/%s", target, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("cannot open", path);
  return file;
}

static void enter_namespace(int file, int kind, const char *name) {
  if (setns(file, kind) != 0) fail("cannot enter the sandbox's namespace", name);
  close(file);
}

/* The first terminal that a session leader opens becomes its controlling one. */
static void take_terminal(const char *device) {
  int file = open(device, O_RDWR);
  if (file < 0) fail("cannot open", device);
  struct termios modes;
  if (tcgetattr(file, &modes) == 0) {
    modes.c_iflag |= IUTF8;
    tcsetattr(file, TCSANOW, &modes);
  }
  for (int number = 0; number < 3; number++) dup2(file, number);
  if (file > 2) close(file);
}

/* Passes on what arrives here and ends as the child ended; a child that stops or continues concerns nobody. */
static void wait_for(pid_t child, const sigset_t *all) {
  for (;;) {
    siginfo_t info;
    int number = sigwaitinfo(all, &info);
    if (number < 0) continue;
    if (number != SIGCHLD) {
      if (kill(-child, number) != 0) kill(child, number);
      continue;
    }
    int status;
    if (waitpid(child, &status, WNOHANG) != child) continue;
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    if (!WIFSIGNALED(status)) continue;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    kill(getpid(), WTERMSIG(status));
    sigset_t nothing;
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
    _exit(128 + WTERMSIG(status));
  }
}

/* Numbers and structures of the kernel's interface: its header is missing on many machines. */
#define LL_CREATE 444
#define LL_ADD 445
#define LL_RESTRICT 446
#define LL_PATH_BENEATH 1
struct ll_ruleset { uint64_t fs, net, scoped; };
struct ll_path { uint64_t access; int32_t parent; } __attribute__((packed));
#define LL_MAKE_BLOCK (1ULL << 11)

/*
 * Where processes share the machine's PIDs, those of the same user that have no more rights than this one could be
 * read, and through /proc/PID/root everything that they see. A domain of Landlock reads none outside of itself. It
 * forbids only block devices, which nobody in here can make. Without Landlock the probe finds this way out.
 */
static void leave_other_processes(void) {
  struct ll_ruleset attributes = {LL_MAKE_BLOCK, 0, 0};
  int ruleset = (int)syscall(LL_CREATE, &attributes, sizeof(uint64_t), 0);
  if (ruleset < 0) return;
  if (syscall(LL_RESTRICT, ruleset, 0) != 0) fail("cannot set", "Landlock rules");
  close(ruleset);
}

/* Classic BPF and the numbers of seccomp: their headers are missing on many machines, too. */
struct bpf_step { uint16_t code; uint8_t yes, no; uint32_t value; };
struct bpf_program { unsigned short length; struct bpf_step *steps; };
#define BPF_LOAD 0x20
#define BPF_IF_EQUAL 0x15
#define BPF_IF_AT_LEAST 0x35
#define BPF_IF_ANY_BIT 0x45
#define BPF_RETURN 0x06
#define CALL_NUMBER 0
#define CALL_ARCH 4
#define CALL_FIRST_ARGUMENT 16
#define CALL_ALLOWED 0x7fff0000
#define CALL_FAILS(error) (0x00050000 | (error))
#define CLONE3 435
#define NEW_CGROUP 0x02000000
#define SPECULATION_ALLOWED 4

#if defined(__x86_64__)
#define HAS_FILTER 1
#define OWN_ARCH 0xC000003E
#define OWN_UNSHARE 272
#define OWN_CLONE 56
#define OTHER_ABI 0x40000000
#define OLD_ARCH 0x40000003
#define OLD_UNSHARE 310
#define OLD_CLONE 120
#elif defined(__aarch64__)
#define HAS_FILTER 1
#define OWN_ARCH 0xC00000B7
#define OWN_UNSHARE 97
#define OWN_CLONE 220
#define OTHER_ABI 0xFFFFFFFF
#define OLD_ARCH 0x40000028
#define OLD_UNSHARE 337
#define OLD_CLONE 120
#endif

/*
 * No new cgroup namespaces: in one, inside a new user namespace, cgroups can be mounted, and root's or a delegated user's
 * are then writable: those of the host, too (T654). The flags of clone3 are in memory, where a filter cannot look, so
 * that programs use clone instead.
 */
static void forbid_cgroup_namespaces(void) {
#if defined(HAS_FILTER) && defined(SYS_seccomp)
  struct bpf_step steps[] = {
    {BPF_LOAD, 0, 0, CALL_ARCH},
    {BPF_IF_EQUAL, 0, 6, OWN_ARCH},
    {BPF_LOAD, 0, 0, CALL_NUMBER},
    {BPF_IF_AT_LEAST, 13, 0, OTHER_ABI},
    {BPF_IF_EQUAL, 12, 0, CLONE3},
    {BPF_IF_EQUAL, 8, 0, OWN_UNSHARE},
    {BPF_IF_EQUAL, 7, 0, OWN_CLONE},
    {BPF_RETURN, 0, 0, CALL_ALLOWED},
    {BPF_IF_EQUAL, 0, 8, OLD_ARCH},
    {BPF_LOAD, 0, 0, CALL_NUMBER},
    {BPF_IF_EQUAL, 6, 0, CLONE3},
    {BPF_IF_EQUAL, 2, 0, OLD_UNSHARE},
    {BPF_IF_EQUAL, 1, 0, OLD_CLONE},
    {BPF_RETURN, 0, 0, CALL_ALLOWED},
    {BPF_LOAD, 0, 0, CALL_FIRST_ARGUMENT},
    {BPF_IF_ANY_BIT, 2, 0, NEW_CGROUP},
    {BPF_RETURN, 0, 0, CALL_ALLOWED},
    {BPF_RETURN, 0, 0, CALL_FAILS(ENOSYS)},
    {BPF_RETURN, 0, 0, CALL_FAILS(EPERM)},
  };
  struct bpf_program program = {sizeof steps / sizeof *steps, steps};
  if (syscall(SYS_seccomp, 1, SPECULATION_ALLOWED, &program) == 0) return;
  if (errno == EINVAL && syscall(SYS_seccomp, 1, 0, &program) == 0) return;
  /* A kernel without filters has this gap; anything else is a fault. */
  if (errno != EINVAL && errno != ENOSYS) fail("cannot set", "a system call filter");
#endif
}

static int join(int argc, char **argv) {
  const char *target = NULL, *cwd = NULL, *device = NULL;
  int has_user = 0, has_pid = 0;
  uint64_t drop = 0;
  int at = 0;
  for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
    if (strcmp(argv[at], "--user") == 0) { has_user = 1; continue; }
    if (strcmp(argv[at], "--pid") == 0) { has_pid = 1; continue; }
    if (at + 1 >= argc) break;
    const char *option = argv[at++];
    if (strcmp(option, "--target") == 0) target = argv[at];
    else if (strcmp(option, "--cwd") == 0) cwd = argv[at];
    else if (strcmp(option, "--tty") == 0) device = argv[at];
    else if (strcmp(option, "--drop") == 0) drop = strtoull(argv[at], NULL, 16);
    else if (strcmp(option, "--set") == 0) set_variable(argv[at]);
    else { errno = EINVAL; fail("unknown option", option); }
  }
  if (target == NULL || at + 1 >= argc) { errno = EINVAL; fail("cannot", "join"); }
  argv += at + 1;
  int count = argc - at - 1;
  int user = has_user ? open_namespace(target, "user") : -1;
  int mount = open_namespace(target, "mnt");
  int pid = has_pid ? open_namespace(target, "pid") : -1;
  if (has_user) enter_namespace(user, CLONE_NEWUSER, "user");
  enter_namespace(mount, CLONE_NEWNS, "mnt");
  if (has_pid) enter_namespace(pid, CLONE_NEWPID, "pid");
  if (!has_pid && !has_user) leave_other_processes();
  forbid_cgroup_namespaces();
  if (drop != 0) drop_capabilities(drop);
  if (!has_pid) {
    if (device != NULL) take_terminal(device);
    execute(cwd, argv);
  }
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child < 0) fail("cannot", "fork");
  if (child > 0) {
    /* Only the child holds the command's files: their end is the command's end. */
    for (int number = 0; number < 3; number++) close(number);
    /* Nobody who looks for the command by its words shall find this process. */
    prctl(PR_SET_NAME, "holdfast-enter", 0, 0, 0);
    memset(argv[0], 0, (size_t)(argv[count - 1] + strlen(argv[count - 1]) - argv[0]));
    wait_for(child, &all);
  }
  setsid();
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (device != NULL) take_terminal(device);
  execute(cwd, argv);
  return 0;
}

#define LL_EXECUTE (1ULL << 0)
#define LL_WRITE_FILE (1ULL << 1)
#define LL_READ_FILE (1ULL << 2)
#define LL_READ_DIR (1ULL << 3)
#define LL_TRUNCATE (1ULL << 14)
#define LL_IOCTL_DEV (1ULL << 15)
#define LL_FILE_RIGHTS (LL_EXECUTE | LL_WRITE_FILE | LL_READ_FILE | LL_TRUNCATE | LL_IOCTL_DEV)
#define LL_READ_RIGHTS (LL_EXECUTE | LL_READ_FILE | LL_READ_DIR)

static uint64_t known_rights(int abi) {
  uint64_t rights = (1ULL << 13) - 1;
  if (abi >= 2) rights |= 1ULL << 13;
  if (abi >= 3) rights |= LL_TRUNCATE;
  if (abi >= 5) rights |= LL_IOCTL_DEV;
  return rights;
}

static void allow(int ruleset, const char *path, uint64_t access) {
  int file = open(path, O_PATH | O_CLOEXEC);
  /* A path that is gone needs no right. */
  if (file < 0) return;
  struct stat found;
  if (fstat(file, &found) == 0 && !S_ISDIR(found.st_mode)) access &= LL_FILE_RIGHTS;
  struct ll_path rule = {access, file};
  if (access != 0 && syscall(LL_ADD, ruleset, LL_PATH_BENEATH, &rule, 0) != 0) fail("cannot allow", path);
  close(file);
}

static int restrict_self(int argc, char **argv) {
  int abi = (int)syscall(LL_CREATE, NULL, 0, 1);
  if (abi < 1) fail("there is no", "Landlock");
  uint64_t rights = known_rights(abi);
  struct ll_ruleset attributes = {rights, 0, 0};
  int ruleset = (int)syscall(LL_CREATE, &attributes, sizeof(uint64_t), 0);
  if (ruleset < 0) fail("cannot make", "Landlock rules");
  uint64_t drop = 0;
  int at = 0;
  for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
    if (at + 1 >= argc) break;
    const char *option = argv[at++];
    if (strcmp(option, "--write") == 0) allow(ruleset, argv[at], rights);
    else if (strcmp(option, "--read") == 0) allow(ruleset, argv[at], rights & LL_READ_RIGHTS);
    else if (strcmp(option, "--list") == 0) allow(ruleset, argv[at], LL_READ_DIR);
    else if (strcmp(option, "--drop") == 0) drop = strtoull(argv[at], NULL, 16);
    else if (strcmp(option, "--set") == 0) set_variable(argv[at]);
    else { errno = EINVAL; fail("unknown option", option); }
  }
  if (at + 1 >= argc) { errno = EINVAL; fail("cannot", "restrict"); }
  if (drop != 0) drop_capabilities(drop);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("cannot set", "no_new_privs");
  if (syscall(LL_RESTRICT, ruleset, 0) != 0) fail("cannot set", "Landlock rules");
  close(ruleset);
  forbid_cgroup_namespaces();
  execute(NULL, argv + at + 1);
  return 0;
}

/* The first process of a session's namespace: reaps what is left to it and ends, with all of them, when its input does. */
static int hold(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN, .sa_flags = SA_NOCLDWAIT};
  sigaction(SIGCHLD, &ignore, NULL);
  if (write(1, "ready", 5) != 5) return 1;
  close(1);
  char byte;
  for (;;) {
    ssize_t count = read(0, &byte, 1);
    if (count == 0 || (count < 0 && errno != EINTR)) return 0;
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "hold") == 0) return hold();
  if (argc > 2 && strcmp(argv[1], "join") == 0) return join(argc - 2, argv + 2);
  if (argc > 2 && strcmp(argv[1], "restrict") == 0) return restrict_self(argc - 2, argv + 2);
  fprintf(stderr, "usage: enter join|restrict|hold ...\n");
  return 2;
}
`;
