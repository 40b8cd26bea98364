// `holdfast acp`: an ACP agent on stdio, for editors; the sessions are the host's.
import { EditorLink } from "../acp/editor-link.ts";
import { RefusedError } from "../acp/host-socket.ts";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { findHost } from "../link/find-host.ts";
import { type AddCommand, type CommandContext, hostCommand } from "./command.ts";
import { resolveSession } from "./session-name.ts";

interface AcpOptions {
  readonly agent?: string;
  readonly session?: string;
  readonly clientFs?: true;
  readonly clientTerminal?: true;
  readonly url?: string;
  readonly home?: string;
}

export const addAcp: AddCommand = (program, run) => {
  hostCommand(program, "acp", "speak ACP on stdin and stdout, for editors")
    .option("--agent <agent>", "agent of new sessions (default: that of the configuration)")
    .option("--session <session>", "session that the editor joins instead of creating one")
    .option("--client-fs", "read and write files in the editor, so that unsaved changes count")
    .option("--client-terminal", "run commands in the editor's terminals, without isolation")
    .action(run(work));
};

async function work(context: CommandContext, options: AcpOptions): Promise<void> {
  const { console, environment, programPath } = context;
  const { agent, session, clientFs, clientTerminal, url, home } = options;
  const query = new URLSearchParams();
  if (agent !== undefined) query.set("agent", agent);
  if (session !== undefined) query.set("session", await resolveSession((await context.host()).api, session));
  if (clientFs === true) query.set("clientFs", "true");
  if (clientTerminal === true) query.set("clientTerminal", "true");
  const { stdin, stdout } = console.streams;
  const link = new EditorLink({
    input: stdin,
    output: stdout,
    query: query.size === 0 ? "" : `?${query.toString()}`,
    findHost: (mayStart) => findHost({ choice: { url, home }, environment, console, mayStart, programPath }),
    warn: (line) => console.warn(line),
  });
  try {
    await link.run();
  } catch (cause) {
    if (!(cause instanceof RefusedError)) throw cause;
    throw new CommandError("UNAUTHORIZED", cause.message, { exitCode: EXIT_CODES.refused, cause });
  }
}
