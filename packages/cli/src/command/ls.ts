// `holdfast ls`: the sessions, those that need a person first (C50).
import os from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { tableLines } from "../table.ts";
import { ageWord } from "./age.ts";
import { hostCommand, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";
import { listOverviews, type SessionOverview } from "./session-overview.ts";

interface LsOptions {
  readonly all?: boolean;
}

const maxTitleLength = 48;

/** Adds `ls`. */
export function addLs(program: Command, run: Runner): void {
  hostCommand(program, "ls", "list the sessions, those that need you first")
    .option("-a, --all", "also those that are closed and still kept")
    .action(
      run(async ({ console, host }, { all = false }: LsOptions) => {
        const sessions = await listOverviews(await host(), { closed: all });
        if (console.json) return console.printJson(sessions);
        if (sessions.length === 0) return console.note("There are no sessions. `holdfast run` begins one.");
        const { paint } = console;
        const columns = [
          { heading: "SESSION", paint: paint.bold },
          { heading: "AGENT" },
          {
            heading: "STATE",
            paint: (text: string) => (/^(needs|failed|agent)/.test(text) ? paint.yellow(text) : text),
          },
          { heading: "AGE" },
          { heading: "FOLDER" },
          { heading: "TITLE" },
        ];
        const nowMs = Date.now();
        const names = new Set(namesOfSeveral(sessions));
        const rows = sessions.map((session) => sessionRow(session, names, nowMs));
        for (const line of tableLines(columns, rows, paint)) await console.print(line);
        return undefined;
      }),
    );
}

function sessionRow(session: SessionOverview, doubled: ReadonlySet<string>, nowMs: number): string[] {
  const { session_key, name, agent_id, state, title, cwd, last_activity_at } = session;
  return [
    doubled.has(name) ? session_key : name,
    safeText(agent_id),
    state.replace("-", " "),
    ageWord(last_activity_at, nowMs),
    safeText(shortFolder(cwd ?? "-")),
    crop(safeText(title)),
  ];
}

/** A name that two sessions share tells neither of them. */
function namesOfSeveral(sessions: readonly SessionOverview[]): string[] {
  const names = sessions.map(({ name }) => name);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function shortFolder(folder: string): string {
  const home = os.homedir();
  return folder === home || folder.startsWith(home + path.sep) ? `~${folder.slice(home.length)}` : folder;
}

function crop(text: string): string {
  if (text.length <= maxTitleLength) return text;
  // Half a character is cut off too.
  return `${text.slice(0, maxTitleLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
