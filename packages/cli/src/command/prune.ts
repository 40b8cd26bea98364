// `holdfast prune`: removes closed sessions that nobody has touched for long (C53).
import { type AcpSessionStatus, type Holdfast, HoldfastError } from "@holdfast/sdk";
import type { Command } from "commander";
import { tableLines } from "../console.ts";
import { ageWord, readAgeMs } from "../time.ts";
import { hostCommand, type Runner } from "./command.ts";
import { confirm } from "../keyboard.ts";
import { safeText } from "../safe-text.ts";
import { sessionTitle, shortSessionName } from "./session-name.ts";
import { count } from "../plural.ts";

interface PruneOptions {
  readonly olderThan?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const defaultAge = "30d";

export function addPrune(program: Command, run: Runner): void {
  hostCommand(program, "prune", "delete old closed sessions and their history")
    .option("--older-than <age>", `inactive for this long: 12h, 30d, 8w (default: ${defaultAge})`, readAgeMs)
    .option("--dry-run", "only list them")
    .option("-y, --yes", "do not ask for confirmation")
    .action(
      run(
        async (
          { console, host },
          { olderThan = readAgeMs(defaultAge), dryRun = false, yes = false }: PruneOptions,
        ) => {
          const { api } = await host();
          const nowMs = Date.now();
          const old = await listOld(api, nowMs - olderThan);
          if (!console.json) {
            if (old.length === 0) return console.note("No closed session is that old.");
            const columns = [
              { heading: "SESSION" },
              { heading: "AGENT" },
              { heading: "AGE" },
              { heading: "TITLE" },
            ];
            const rows = old.map((session) => sessionRow(session, nowMs));
            for (const line of tableLines(columns, rows, console.paint)) await console.print(line);
          }
          const question = `Delete ${count(old.length, "closed session with its", "closed sessions with their")} whole history?`;
          const isMeant = !dryRun && old.length > 0 && (await confirm(console, question, yes));
          if (isMeant) await deleteAll(api, old);
          if (console.json) {
            return console.printJson({
              deleted: isMeant,
              sessions: old.map(({ session_key }) => session_key),
            });
          }
          return console.note(
            isMeant ? `Deleted ${count(old.length, "closed session")}.` : "Nothing was deleted.",
          );
        },
      ),
    );
}

async function listOld(api: Holdfast, beforeMs: number): Promise<AcpSessionStatus[]> {
  const sessions = await api.acpAgent.listSessions({ closed: true });
  return sessions.filter(
    (session) => session.state === "closed" && Date.parse(touchedAt(session)) < beforeMs,
  );
}

async function deleteAll(api: Holdfast, sessions: readonly AcpSessionStatus[]): Promise<void> {
  for (const { session_key } of sessions) {
    try {
      await api.acpAgent.closeSession(session_key, undefined, { purge: true });
    } catch (error) {
      // Somebody else, or the host's own retention, was quicker: it is gone, as was asked.
      if (!(error instanceof HoldfastError) || error.code !== "ACP_SESSION_NOT_FOUND") throw error;
    }
  }
}

function sessionRow(session: AcpSessionStatus, nowMs: number): string[] {
  const { session_key, agent_id } = session;
  return [
    shortSessionName(session_key),
    safeText(agent_id),
    ageWord(touchedAt(session), nowMs),
    safeText(sessionTitle(session)),
  ];
}

function touchedAt({ last_activity_at, created_at }: AcpSessionStatus): string {
  return last_activity_at ?? created_at;
}
