/* The limit: starts a command on a pseudo-terminal or a pipe, reads to the end in 64 KiB reads, keeps nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <util.h>
#else
#include <pty.h>
#endif

static char buffer[64 * 1024];

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static double cpu_ms(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static pid_t start(int on_pty, char **command, int *source) {
  int ends[2];
  struct winsize size = {.ws_row = 24, .ws_col = 80};
  if (!on_pty && pipe(ends) != 0) fail("pipe");
  pid_t pid = on_pty ? forkpty(source, NULL, NULL, &size) : fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    if (!on_pty) {
      dup2(ends[1], 1);
      dup2(ends[1], 2);
      close(ends[0]);
      close(ends[1]);
    }
    execvp(command[0], command);
    fail(command[0]);
  }
  if (!on_pty) {
    close(ends[1]);
    *source = ends[0];
  }
  return pid;
}

int main(int count, char **words) {
  if (count < 3) {
    fprintf(stderr, "usage: reader pty|pipe command [argument ...]\n");
    return 2;
  }
  double started = now_ms();
  double cpu_before = cpu_ms();
  int source = -1;
  int status;
  long long bytes = 0;
  pid_t pid = start(strcmp(words[1], "pty") == 0, words + 2, &source);
  for (;;) {
    ssize_t length = read(source, buffer, sizeof buffer);
    if (length < 0 && errno == EINTR) continue;
    /* EIO is the end of a pseudo-terminal. */
    if (length <= 0) break;
    bytes += length;
  }
  waitpid(pid, &status, 0);
  printf("{\"bytes\":%lld,\"elapsedMs\":%.3f,\"cpuMs\":%.3f}\n", bytes, now_ms() - started, cpu_ms() - cpu_before);
  return 0;
}
