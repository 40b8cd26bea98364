// Shapes of process trees, from the harmless to the hostile; every process of each has the unique argument.

/** A shell line that makes a tree out of `sleep SECONDS`; `escapesGroup` marks the one that no group or marker finds. */
export interface TreeShape {
  readonly name: string;
  readonly line: (seconds: string) => string;
  readonly escapesGroup?: true;
}

/** Each line ends in a wait, so that the command itself goes on running. */
export const TREE_SHAPES: readonly TreeShape[] = [
  { name: "children", line: (seconds) => `sleep ${seconds} & sleep ${seconds} & wait` },
  { name: "nested shells", line: (seconds) => `sh -c "sh -c 'sleep ${seconds} & wait' & wait" & wait` },
  { name: "job control", line: (seconds) => `set -m; sleep ${seconds} & sleep ${seconds} & wait` },
  { name: "nohup", line: (seconds) => `nohup sleep ${seconds} >/dev/null 2>&1 & sleep ${seconds}` },
  { name: "setsid", line: (seconds) => `setsid sleep ${seconds} & sleep ${seconds}` },
  { name: "double fork", line: (seconds) => `(setsid sh -c 'sleep ${seconds} & exit' &) ; sleep ${seconds}` },
  {
    name: "TERM-proof",
    line: (seconds) =>
      `trap '' TERM HUP INT; (trap '' TERM HUP INT; setsid sleep ${seconds} & sleep ${seconds}; sleep ${seconds}); sleep ${seconds}`,
  },
  {
    name: "respawning daemons",
    line: (seconds) =>
      `for i in 1 2 3 4 5 6 7 8; do setsid sh -c 'trap "" TERM HUP; while :; do sleep ${seconds} & wait $!; done' & done; sleep ${seconds}`,
  },
  { name: "stopped", line: (seconds) => `sleep ${seconds} & kill -STOP $!; wait` },
  {
    name: "env -i setsid",
    line: (seconds) => `(env -i setsid sh -c 'sleep ${seconds} & exit' &) ; sleep ${seconds}`,
    escapesGroup: true,
  },
];
