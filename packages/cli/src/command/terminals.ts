// `holdfast terminals`: what runs in terminals, who holds it, and how it ended.
import type { TerminalStatus } from "@holdfast/sdk";
import type { Command } from "commander";
import { shortName } from "../short-name.ts";
import { tableLines } from "../console.ts";
import { exitWords } from "../terminal/terminal-exit.ts";
import { ageWord } from "../time.ts";
import { hostCommand, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";
import { shortSessionName } from "./session-name.ts";
import { listAllTerminals } from "../terminal/terminal-name.ts";

interface TerminalsOptions {
  readonly all?: boolean;
}

export function addTerminals(program: Command, run: Runner): void {
  hostCommand(program, "terminals", "list terminals: command, holder, state")
    .option("--all", "also finished terminals of all sessions")
    .action(
      run(async ({ console, host }, { all = false }: TerminalsOptions) => {
        const { api } = await host({ mayMakeHome: false });
        const terminals = all ? await listAllTerminals(api) : await api.terminals.list();
        if (console.json) return console.printJson(terminals);
        const { paint } = console;
        const columns = [
          { heading: "TERMINAL", paint: paint.bold },
          { heading: "KIND" },
          { heading: "STATE" },
          { heading: "HELD BY" },
          { heading: "SESSION" },
          { heading: "AGE" },
          { heading: "TITLE" },
        ];
        const nowMs = Date.now();
        const rows = terminals.map((terminal) => terminalRow(terminal, nowMs));
        for (const line of tableLines(columns, rows, paint)) await console.print(line);
        if (terminals.length === 0) {
          console.note("There are no terminals. `holdfast exec -- COMMAND` runs a command in one.");
        }
        return undefined;
      }),
    );
}

function terminalRow(terminal: TerminalStatus, nowMs: number): string[] {
  const { id, run, session_key: holder, made_by: maker, startedAt, title } = terminal;
  const sessionKey = holder ?? maker;
  return [
    shortName(id),
    run,
    stateWords(terminal),
    holderWords(terminal),
    sessionKey === undefined ? "-" : shortSessionName(sessionKey),
    startedAt === undefined ? "-" : ageWord(startedAt, nowMs),
    safeText(title),
  ];
}

/** Whether it runs, how it ended, and how many processes its command left running. */
function stateWords({ lifecycle, leftovers }: TerminalStatus): string {
  if (lifecycle.status === "running") return "running";
  const ended = safeText(exitWords(lifecycle.exit));
  return leftovers === undefined ? ended : `${ended}, ${leftovers.count} left`;
}

/** Who holds it; nobody decides over what has ended. */
function holderWords({ holder, lifecycle }: TerminalStatus): string {
  if (lifecycle.status === "exited") return "-";
  if (holder.kind === "session") return holder.inTurn ? "agent" : "background";
  return holder.isGone ? "nobody" : "a person";
}
