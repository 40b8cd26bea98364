// Offers to run the command that signs in to an agent, in this window (C300).
import type { Remedy } from "@holdfast/ahp";
import { shortName } from "../short-name.ts";
import type { HostLink } from "../link/host-link.ts";
import { safeText } from "../safe-text.ts";
import { attachTo } from "../terminal/attach-session.ts";
import { DEFAULT_DETACH_KEYS, DetachKeys } from "../terminal/detach-keys.ts";
import { exitCodeOf } from "../terminal/terminal-exit.ts";
import { endWords } from "./attach.ts";
import type { CommandContext } from "./command.ts";
import { confirm } from "../keyboard.ts";

/** Asks, and runs the command in a terminal of the host that is shown here; gives whether it ended with 0. */
export async function offerSignIn(
  { console }: Pick<CommandContext, "console">,
  link: HostLink,
  remedy: Remedy | undefined,
  cwd?: string,
): Promise<boolean> {
  const { streams, json: isJson } = console;
  const { command } = remedy ?? {};
  if (command === undefined || isJson || !console.canAsk || !streams.stdout.isTTY) return false;
  const question = `The agent is not signed in. Run \`${safeText(command)}\` now?`;
  if (!(await confirm(console, question, false))) return false;
  const { columns: cols, rows } = streams.stdout;
  const { id } = await link.api.terminals.create({
    command: "/bin/sh",
    args: ["-c", command],
    name: "sign-in",
    kind: "tty",
    ...(cols > 0 && rows > 0 && { cols, rows }),
    ...(cwd !== undefined && { cwd }),
  });
  const keys = new DetachKeys(DEFAULT_DETACH_KEYS);
  const end = await attachTo({ link, id, streams, keys, isReadOnly: false, isOwnCommand: true });
  if (end.kind !== "exited") console.note(endWords(end, shortName(id)));
  return end.kind === "exited" && exitCodeOf(end.exit) === 0;
}
