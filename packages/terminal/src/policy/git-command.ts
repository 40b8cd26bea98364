// `git -C folder --no-pager status` read as `git status` in that folder.
import type { CommandPart } from "./parts.ts";
import { resolvePath } from "./paths.ts";

/** The same command without the global options that only choose the folder or the output; undefined if it has none. */
export function withoutGlobalOptions(part: CommandPart): CommandPart | undefined {
  const [program, ...args] = part.words;
  if (program?.value?.replace(/^.*\//s, "") !== "git") return undefined;
  let { folder } = part;
  let index = 0;
  for (; index < args.length; index += 1) {
    const value = args[index]?.value;
    if (value === "-C") {
      index += 1;
      const target = args[index]?.value;
      folder = target === undefined || target === "" ? undefined : resolvePath(folder, target);
    } else if (value !== "--no-pager" && value !== "-P" && value !== "--no-optional-locks") break;
  }
  return index === 0 ? undefined : { ...part, words: [program, ...args.slice(index)], folder };
}
