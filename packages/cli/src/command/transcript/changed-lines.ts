// Shows what changed between two texts: the lines that differ, with some that do not around them.

const contextLines = 3;

/** The changed stretch of a text, each line marked; a text that is not there is new or gone. */
export function changedLines(before: string | undefined, after: string | undefined): string[] {
  const old = before === undefined ? [] : before.split("\n");
  const fresh = after === undefined ? [] : after.split("\n");
  const shortest = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < shortest && old[same] === fresh[same]) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < shortest - same && old.at(-1 - sameAtEnd) === fresh.at(-1 - sameAtEnd)) sameAtEnd += 1;
  const oldEnd = old.length - sameAtEnd;
  return [
    ...old.slice(Math.max(0, same - contextLines), same).map((line) => `  ${line}`),
    ...old.slice(same, oldEnd).map((line) => `- ${line}`),
    ...fresh.slice(same, fresh.length - sameAtEnd).map((line) => `+ ${line}`),
    ...old.slice(oldEnd, oldEnd + contextLines).map((line) => `  ${line}`),
  ];
}
