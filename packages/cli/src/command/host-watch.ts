// Watching of a whole host: sessions that come, change and go, pending approvals, terminals that start and end (C32).
import {
  ROOT_URI,
  type RootState,
  type SessionSummary,
  type TerminalExit,
  type TerminalInfo,
} from "@holdfast/ahp";
import type { PendingApproval } from "@holdfast/sdk";
import type { Paint } from "../console.ts";
import type { HostLink } from "../link/host-link.ts";
import { safeText } from "../safe-text.ts";
import { shortName } from "../short-name.ts";
import { exitWords } from "../terminal/terminal-exit.ts";
import { terminalIdOf } from "../terminal/terminal-name.ts";
import { clockTime } from "../time.ts";
import { shortSessionName } from "./session-name.ts";
import { type SessionStateName, stateLabel, stateOfPhase } from "./session-state.ts";

/** Watches until the signal; what is there at the beginning comes first. */
export async function watchHost(
  link: HostLink,
  onChange: (change: HostChange) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const client = await link.ahp({ waits: true });
  const news = new News(signal);
  const root = await client.subscribe(ROOT_URI, "root", { onEvent: () => news.come() });
  let before = await takePicture(link, root.state, NOTHING);
  for (const change of hostChanges(NOTHING, withoutEnded(before))) await onChange(change);
  while (await news.next()) {
    const after = await takePicture(link, root.state, before);
    for (const change of hostChanges(before, after)) await onChange(change);
    before = after;
  }
}

/** The host as it is; approvals are asked for only where there may be some. */
async function takePicture({ api }: HostLink, root: RootState, before: HostPicture): Promise<HostPicture> {
  const mayWait =
    before.approvals.length > 0 || root.sessions.some(({ inputNeededCount }) => inputNeededCount > 0);
  return { root, approvals: mayWait ? await api.approvals.list() : [] };
}

/** Terminals that ended before anybody watched are no news. */
function withoutEnded({ root, approvals }: HostPicture): HostPicture {
  const terminals = root.terminals.filter(({ lifecycle }) => lifecycle.status === "running");
  return { root: { sessions: root.sessions, terminals }, approvals };
}

/** Signals news, once for everything since the last request. */
class News {
  readonly #signal: AbortSignal;
  #isThere = false;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake());
  }

  come(): void {
    this.#isThere = true;
    this.#wake();
  }

  /** Waits for news; false when nobody wants any more. */
  async next(): Promise<boolean> {
    while (!this.#isThere && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isThere = false;
    return !this.#signal.aborted;
  }
}

interface HostPicture {
  readonly root: Pick<RootState, "sessions" | "terminals">;
  readonly approvals: readonly PendingApproval[];
}

/** Something that happened. Each names its session or terminal as other commands take it. */
export type HostChange =
  | {
      readonly event: "session_added";
      readonly session_key: string;
      readonly agent: string;
      readonly title: string;
      readonly state: SessionStateName;
    }
  | {
      readonly event: "session_changed";
      readonly session_key: string;
      readonly title: string;
      readonly state: SessionStateName;
    }
  | { readonly event: "session_removed"; readonly session_key: string; readonly title: string }
  | {
      readonly event: "approval_waiting";
      readonly session_key: string;
      readonly requestId: string;
      readonly action: string;
      readonly target: string;
    }
  | {
      readonly event: "approval_settled";
      readonly session_key: string;
      readonly requestId: string;
      readonly target: string;
    }
  | { readonly event: "terminal_started"; readonly terminalId: string; readonly title: string }
  | {
      readonly event: "terminal_ended";
      readonly terminalId: string;
      readonly title: string;
      readonly exit: TerminalExit;
    };

/** An empty host, before which there was nothing. */
const NOTHING: HostPicture = { root: { sessions: [], terminals: [] }, approvals: [] };

function hostChanges(before: HostPicture, after: HostPicture): HostChange[] {
  return [
    ...sessionChanges(before.root.sessions, after.root.sessions),
    ...approvalChanges(before.approvals, after.approvals),
    ...terminalChanges(before.root.terminals, after.root.terminals),
  ];
}

function sessionChanges(before: readonly SessionSummary[], after: readonly SessionSummary[]): HostChange[] {
  const known = new Map(before.map((session) => [session.key, session]));
  const left = new Set(after.map(({ key }) => key));
  const changes = after.flatMap((session): HostChange[] => {
    const { key: session_key, provider: agent, title } = session;
    const state = stateOfPhase(session.phase);
    const old = known.get(session.key);
    if (old === undefined) return [{ event: "session_added", session_key, agent, title, state }];
    const isSame = old.title === title && stateOfPhase(old.phase) === state;
    return isSame ? [] : [{ event: "session_changed", session_key, title, state }];
  });
  const gone = before.filter(({ key }) => !left.has(key));
  return [
    ...changes,
    ...gone.map(({ key, title }) => ({ event: "session_removed", session_key: key, title }) as const),
  ];
}

function approvalChanges(
  before: readonly PendingApproval[],
  after: readonly PendingApproval[],
): HostChange[] {
  const known = new Set(before.map(({ requestId }) => requestId));
  const left = new Set(after.map(({ requestId }) => requestId));
  const asked = after.filter(({ requestId }) => !known.has(requestId));
  const settled = before.filter(({ requestId }) => !left.has(requestId));
  return [
    ...asked.map(({ session_key, requestId, action, target }) => {
      return { event: "approval_waiting", session_key, requestId, action, target } as const;
    }),
    ...settled.map(({ session_key, requestId, target }) => {
      return { event: "approval_settled", session_key, requestId, target } as const;
    }),
  ];
}

function terminalChanges(before: readonly TerminalInfo[], after: readonly TerminalInfo[]): HostChange[] {
  const known = new Map(before.map((terminal) => [terminal.resource, terminal]));
  return after.flatMap(({ resource, title, lifecycle }): HostChange[] => {
    const terminalId = terminalIdOf(resource);
    const old = known.get(resource);
    const changes: HostChange[] = [];
    if (old === undefined) changes.push({ event: "terminal_started", terminalId, title });
    if (lifecycle.status === "exited" && old?.lifecycle.status !== "exited") {
      changes.push({ event: "terminal_ended", terminalId, title, exit: lifecycle.exit });
    }
    return changes;
  });
}

export function changeLine(change: HostChange, at: Date, paint: Paint): string {
  return `${paint.dim(clockTime(at))} ${describe(change, paint)}`;
}

function describe(change: HostChange, { bold, green, yellow, red, dim }: Paint): string {
  switch (change.event) {
    case "session_added":
      return `${sessionLabel(change)} ${green(change.agent)}, ${stateLabel(change.state)} ${bold(safeText(change.title))}`;
    case "session_changed":
      return `${sessionLabel(change)} ${stateLabel(change.state)} ${bold(safeText(change.title))}`;
    case "session_removed":
      return `${sessionLabel(change)} ${dim("is closed")} ${safeText(change.title)}`;
    case "approval_waiting":
      return (
        `${sessionLabel(change)} ${yellow("asks")} to ${safeText(change.action)} ${bold(safeText(change.target))}: ` +
        `holdfast approve ${change.requestId}`
      );
    case "approval_settled":
      return `${sessionLabel(change)} ${dim("is answered:")} ${safeText(change.target)}`;
    case "terminal_started":
      return `${terminalLabel(change)} ${green("runs")} ${bold(safeText(change.title))}`;
    case "terminal_ended": {
      const { exit, title } = change;
      const isGood = exit.kind === "code" && exit.exitCode === 0;
      const words = exit.kind === "code" ? `exit ${exit.exitCode}` : safeText(exitWords(exit));
      return `${terminalLabel(change)} ${(isGood ? dim : red)(words)} ${safeText(title)}`;
    }
  }
}

function sessionLabel({ session_key }: { readonly session_key: string }): string {
  return `session ${shortSessionName(session_key)}`;
}

function terminalLabel({ terminalId }: { readonly terminalId: string }): string {
  return `terminal ${shortName(terminalId)}`;
}
