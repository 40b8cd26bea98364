// `holdfast terminals`: what runs in terminals, who holds it, and how it ended.
import type { TerminalStatus } from "@holdfast/sdk";
import type { Command } from "commander";
import { tableLines } from "../table.ts";
import { exitWords } from "../terminal/terminal-exit.ts";
import { ageWord } from "./age.ts";
import { hostCommand, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";
import { shortSessionName } from "./session-name.ts";
import { listAllTerminals, shortTerminalName } from "./terminal-name.ts";

interface TerminalsOptions {
  readonly all?: boolean;
}

/** Adds `terminals`. */
export function addTerminals(program: Command, run: Runner): void {
  hostCommand(program, "terminals", "list the terminals: what runs in them, who holds them, how they ended")
    .option("--all", "also the finished ones of all sessions")
    .action(
      run(async ({ console, host }, { all = false }: TerminalsOptions) => {
        const { api } = await host();
        const terminals = all ? await listAllTerminals(api) : await api.terminals.list();
        if (console.json) return console.printJson(terminals);
        if (terminals.length === 0) {
          console.note("No terminals. `holdfast exec -- COMMAND` runs a command in one.");
          return undefined;
        }
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
        return undefined;
      }),
    );
}

function terminalRow(terminal: TerminalStatus, nowMs: number): string[] {
  const { id, run, lifecycle, session_key: sessionKey, startedAt, title } = terminal;
  return [
    shortTerminalName(id),
    run,
    lifecycle.status === "running" ? "running" : safeText(exitWords(lifecycle.exit)),
    holderWords(terminal),
    sessionKey === null ? "-" : shortSessionName(sessionKey),
    startedAt === undefined ? "-" : ageWord(startedAt, nowMs),
    safeText(title),
  ];
}

/** Who holds it; nobody decides over what has ended. */
function holderWords({ holder, lifecycle }: TerminalStatus): string {
  if (lifecycle.status === "exited") return "-";
  if (holder.kind === "session") return holder.inTurn ? "agent" : "background";
  return holder.isGone ? "nobody" : "a person";
}
