// `holdfast ls`: the sessions, those that need a person first (C50).
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT_URI, type SessionSummary } from "@holdfast/ahp";
import { type AhpClient, ClientError } from "@holdfast/ahp/client";
import type { AcpSessionStatus } from "@holdfast/sdk";
import type { Command } from "commander";
import type { HostLink } from "../link/host-link.ts";
import { safeText } from "../safe-text.ts";
import { tableLines } from "../console.ts";
import { ageWord } from "../time.ts";
import { hostCommand, type Runner } from "./command.ts";
import { sessionTitle, shortSessionName } from "./session-name.ts";
import {
  SESSION_STATES,
  type SessionStateName,
  stateLabel,
  stateOfPhase,
  stateOfStatus,
} from "./session-state.ts";

interface LsOptions {
  readonly all?: boolean;
}

const maxTitleLength = 48;

export function addLs(program: Command, run: Runner): void {
  hostCommand(program, "ls", "list sessions, those that need you first")
    .option("-a, --all", "also closed sessions whose history is kept")
    .action(
      run(async ({ console, host }, { all = false }: LsOptions) => {
        const sessions = await listOverviews(await host({ mayMakeHome: false }), { closed: all });
        if (console.json) return console.printJson(sessions);
        const { paint } = console;
        const columns = [
          { heading: "SESSION", paint: paint.bold },
          { heading: "AGENT" },
          {
            heading: "STATE",
            paint: (text: string) => (/^(needs|failed|agent)/.test(text) ? paint.yellow(text) : text),
          },
          { heading: "AGE" },
          {
            heading: "ISOLATION",
            paint: (text: string) => (text === "none" ? paint.yellow(text) : text),
          },
          { heading: "FOLDER" },
          { heading: "TITLE" },
        ];
        const nowMs = Date.now();
        const names = new Set(namesOfSeveral(sessions));
        const rows = sessions.map((session) => sessionRow(session, names, nowMs));
        for (const line of tableLines(columns, rows, paint)) await console.print(line);
        if (sessions.length === 0) console.note("There are no sessions. `holdfast run` starts one.");
        return undefined;
      }),
    );
}

function sessionRow(session: SessionOverview, doubled: ReadonlySet<string>, nowMs: number): string[] {
  const { session_key, name, agent_id, state, title, cwd, last_activity_at, isolation } = session;
  return [
    doubled.has(name) ? session_key : name,
    safeText(agent_id),
    stateLabel(state),
    ageWord(last_activity_at, nowMs),
    safeText(isolation ?? "-"),
    safeText(shortFolder(cwd ?? "-")),
    crop(safeText(title)),
  ];
}

/** Names that two sessions share; their rows show whole keys. */
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

interface SessionOverview {
  readonly session_key: string;
  readonly name: string;
  readonly agent_id: string;
  readonly state: SessionStateName;
  readonly title: string;
  readonly cwd: string | null;
  readonly created_at: string;
  readonly last_activity_at: string;
  /** The level in force; null for sessions of older hosts. */
  readonly isolation: string | null;
}

const pageSessions = 200;

/** The sessions that the caller may see, in the order in which they need a person. */
async function listOverviews(
  link: HostLink,
  { closed }: { readonly closed: boolean },
): Promise<SessionOverview[]> {
  const { acpAgent, approvals } = link.api;
  const [sessions, waiting, summaries] = await Promise.all([
    acpAgent.listSessions({ closed }),
    approvals.list(),
    listSummaries(link),
  ]);
  const asking = new Set(waiting.map(({ session_key }) => session_key));
  return sessions
    .map((session) => describe(session, summaries.get(session.session_key), asking))
    .toSorted(
      (one, other) =>
        SESSION_STATES.indexOf(one.state) - SESSION_STATES.indexOf(other.state) ||
        other.last_activity_at.localeCompare(one.last_activity_at),
    );
}

/** The host's open sessions over AHP, for callers that may see all of it; none for others. */
async function listSummaries(link: HostLink): Promise<ReadonlyMap<string, SessionSummary>> {
  const summaries = new Map<string, SessionSummary>();
  const client = await clientFor(link);
  if (client === undefined) return summaries;
  let cursor: string | undefined;
  do {
    const page = await client.request("listSessions", {
      channel: ROOT_URI,
      limit: pageSessions,
      ...(cursor !== undefined && { cursor }),
    });
    for (const summary of page.items) summaries.set(summary.key, summary);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return summaries;
}

/** The client of those who may see all of the host; undefined for anyone else. */
async function clientFor(link: HostLink): Promise<AhpClient | undefined> {
  try {
    return await link.ahp();
  } catch (error) {
    if (error instanceof ClientError && error.kind === "refused") return undefined;
    throw error;
  }
}

function describe(
  session: AcpSessionStatus,
  summary: SessionSummary | undefined,
  asking: ReadonlySet<string>,
): SessionOverview {
  const { session_key, agent_id, created_at, runtime_options } = session;
  const [folder] = summary?.workingDirectories ?? [];
  return {
    session_key,
    name: shortSessionName(session_key),
    agent_id,
    state: asking.has(session_key)
      ? "needs-approval"
      : summary === undefined
        ? stateOfStatus(session)
        : stateOfPhase(summary.phase),
    title: sessionTitle(session),
    cwd: runtime_options.cwd ?? (folder?.startsWith("file:") === true ? fileURLToPath(folder) : null),
    created_at,
    last_activity_at: session.last_activity_at ?? created_at,
    isolation: session.isolation?.level ?? null,
  };
}
