// Shapes of process trees, from the harmless to the hostile; every process of each has the unique argument.

/** A shell line that makes a tree out of `sleep SECONDS`; `escapesGroup` marks the one that no group or marker finds. */
export interface TreeShape {
  readonly name: string;
  readonly line: (seconds: string) => string;
  /** How many of them there are when the tree stands. */
  readonly sleeps: number;
  readonly escapesGroup?: true;
}

/** Each line ends in a wait, so that the command itself keeps running. */
export const TREE_SHAPES: readonly TreeShape[] = [
  { name: "children", sleeps: 2, line: (seconds) => `sleep ${seconds} & sleep ${seconds} & wait` },
  {
    name: "nested shells",
    sleeps: 1,
    line: (seconds) => `sh -c "sh -c 'sleep ${seconds} & wait' & wait" & wait`,
  },
  { name: "job control", sleeps: 2, line: (seconds) => `set -m; sleep ${seconds} & sleep ${seconds} & wait` },
  {
    name: "nohup",
    sleeps: 2,
    line: (seconds) => `nohup sleep ${seconds} >/dev/null 2>&1 & sleep ${seconds}`,
  },
  { name: "setsid", sleeps: 2, line: (seconds) => `setsid sleep ${seconds} & sleep ${seconds}` },
  {
    name: "double fork",
    sleeps: 2,
    line: (seconds) => `(setsid sh -c 'sleep ${seconds} & exit' &) ; sleep ${seconds}`,
  },
  {
    name: "TERM-proof",
    sleeps: 2,
    line: (seconds) =>
      `trap '' TERM HUP INT; (trap '' TERM HUP INT; setsid sleep ${seconds} & sleep ${seconds}; sleep ${seconds}); sleep ${seconds}`,
  },
  {
    name: "respawning daemons",
    sleeps: 9,
    line: (seconds) =>
      `for i in 1 2 3 4 5 6 7 8; do setsid sh -c 'trap "" TERM HUP; while :; do sleep ${seconds} & wait $!; done' & done; sleep ${seconds}`,
  },
  {
    name: "stopped",
    sleeps: 1,
    // Only once it sleeps: before, it is a copy of the shell.
    line: (seconds) =>
      `sleep ${seconds} & until read -r name </proc/$!/comm && [ "$name" = sleep ]; do :; done; kill -STOP $!; wait`,
  },
  {
    name: "env -i setsid",
    sleeps: 2,
    line: (seconds) => `(env -i setsid sh -c 'sleep ${seconds} & exit' &) ; sleep ${seconds}`,
    escapesGroup: true,
  },
];
