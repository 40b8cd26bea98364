// Labels for sessions and their states.
import {
  type ApprovalPolicy,
  hasLostAgent,
  type LimitInForce,
  limitWords,
  phaseLabel,
  type SessionIsolation,
  type SessionPhase,
  type SessionSummary,
} from "@holdfast/ahp";
import type { WorkState } from "../ui/status.tsx";

/** A word for what a session is doing, and how it is marked. */
export interface PhaseWords {
  readonly text: string;
  readonly tone: "attention" | "bad" | "accent" | "plain";
}

export function phaseWords(phase: SessionPhase): PhaseWords {
  // An agent that stopped says more than the turn that ended with it.
  if (toneOf(phase) === "plain" && hasFailedTurn(phase)) return { text: "Last turn failed", tone: "bad" };
  const label = phaseLabel(phase);
  return { text: label.charAt(0).toUpperCase() + label.slice(1), tone: toneOf(phase) };
}

function hasFailedTurn(phase: SessionPhase): boolean {
  return (phase.status === "ready" || phase.status === "stale") && phase.lastTurnFailed === true;
}

function toneOf(phase: SessionPhase): PhaseWords["tone"] {
  switch (phase.status) {
    case "busy":
      return phase.waitingFor === "permission" || phase.waitingFor === "input" ? "attention" : "accent";
    case "creating":
    case "resuming":
      return "accent";
    case "failed":
      return "bad";
    case "stale":
      return hasLostAgent(phase) ? "bad" : "plain";
    case "closed":
    case "ready":
      return "plain";
  }
}

/** A session's state in the words that everything on the page has. */
export function workState(phase: SessionPhase): WorkState {
  const { tone } = phaseWords(phase);
  if (phase.status === "closed") return "closed";
  switch (tone) {
    case "attention":
      return "needs-you";
    case "bad":
      return "failed";
    case "accent":
      return "running";
    case "plain":
      return "idle";
  }
}

/** The name that a person gave a session, else its title, else its agent. */
export function sessionName({
  label,
  title,
  provider,
}: Pick<SessionSummary, "label" | "title" | "provider">): string {
  return label ?? (title === "" ? provider : title);
}

/** The path in a `file:` URI, as people write it. */
export function pathOf(uri: string | undefined): string {
  if (uri === undefined) return "";
  try {
    const { protocol, pathname } = new URL(uri);
    return protocol === "file:" ? decodeURIComponent(pathname) : uri;
  } catch {
    // No URI: it is a path already.
    return uri;
  }
}

/** The last part of a path. */
export function folderName(path: string): string {
  const name = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return name === "" ? path : name;
}

/** The `file:` URI of an absolute path. */
export function fileUriOf(path: string): string {
  const withSlashes = path.replaceAll("\\", "/");
  const rooted = withSlashes.startsWith("/") ? withSlashes : `/${withSlashes}`;
  return `file://${rooted.split("/").map(encodeURIComponent).join("/")}`;
}

/** A choice of a list; the empty value stands for no policy of the host's own. */
interface PolicyChoice {
  readonly value: ApprovalPolicy | "";
  readonly label: string;
  /** Its meaning. */
  readonly detail: string;
}

/** The choices, the most careful of the usable ones first. */
export const policies: readonly PolicyChoice[] = [
  {
    value: "ask",
    label: "Ask every time",
    detail: "The host asks you before every command and every file change",
  },
  {
    value: "",
    label: "Up to the agent",
    detail: "The agent chooses what it asks about; the host adds no questions",
  },
  { value: "approve-reads", label: "Allow reading", detail: "The host allows reading and asks for the rest" },
  { value: "approve-all", label: "Allow everything", detail: "The host allows whatever the agent asks for" },
  { value: "deny-all", label: "Deny everything", detail: "The host denies whatever the agent asks for" },
];

export function policyOf(value: string): ApprovalPolicy | undefined {
  const found = policies.find((choice) => choice.value === value)?.value;
  return found === "" ? undefined : found;
}

/** The label of a policy, as the host names it; `none` is no policy of the host's own. */
export function policyName(policy: string): string {
  const value = policy === "none" ? "" : policy;
  return policies.find((choice) => choice.value === value)?.label ?? policy;
}

const notIsolated = "The agent and its commands can read everything that the host can.";

const levelWords: Readonly<Record<string, string>> = {
  guard: "The agent and its commands cannot see the host's own files and processes.",
  workspace: "The agent and its commands can change only this session's folder, caches and temporary files.",
};

/** A level as a choice, with a sentence that says what it means. */
export function levelChoice(level: string): { readonly name: string; readonly sentence: string } {
  return {
    name: `${level.charAt(0).toUpperCase()}${level.slice(1)}`,
    sentence: level === "none" ? notIsolated : (levelWords[level] ?? ""),
  };
}

/** How a session is isolated, and what that means; undefined for sessions of older hosts. */
export function isolationWords(
  isolation: SessionIsolation | undefined,
): { readonly text: string; readonly detail: string } | undefined {
  if (isolation === undefined) return undefined;
  const { level, reason, gaps = [] } = isolation;
  if (level === "none") {
    return { text: "Not isolated", detail: reason ?? notIsolated };
  }
  return { text: `Isolated: ${level}`, detail: [levelWords[level] ?? "", ...gaps].join(" ").trim() };
}

/** A limit, and where it holds less than its name promises. */
export function inForceWords(limit: LimitInForce): string {
  if (limit.by === "none") return `${limitWords(limit)}, not enforced on this machine`;
  return limit.by === "rlimit" ? `${limitWords(limit)} in each process` : limitWords(limit);
}
