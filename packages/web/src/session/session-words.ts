// Labels for sessions and their states.
import type { ApprovalPolicy, SessionIsolation, SessionPhase, SessionSummary } from "@holdfast/ahp";
import type { WorkState } from "../ui/status.tsx";

/** A word for what a session is doing, and how it is marked. */
export interface PhaseWords {
  readonly text: string;
  readonly tone: "attention" | "bad" | "accent" | "plain";
}

export function phaseWords(phase: SessionPhase): PhaseWords {
  switch (phase.status) {
    case "busy":
      return busyWords(phase.waitingFor);
    case "creating":
      return { text: "Starting", tone: "accent" };
    case "resuming":
      return { text: "Resuming", tone: "accent" };
    case "failed":
      return { text: "Failed to start", tone: "bad" };
    case "stale":
      return phase.cause === "agent-exited" || phase.cause === "resume-failed"
        ? { text: "Agent stopped", tone: "bad" }
        : { text: "Idle", tone: "plain" };
    case "closed":
      return { text: "Closed", tone: "plain" };
    case "ready":
      return { text: "Idle", tone: "plain" };
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

function busyWords(waitingFor: string): PhaseWords {
  switch (waitingFor) {
    case "permission":
      return { text: "Needs approval", tone: "attention" };
    case "input":
      return { text: "Needs an answer", tone: "attention" };
    case "tool":
      return { text: "Running", tone: "accent" };
    case "agent":
      return { text: "Starting", tone: "accent" };
    default:
      return { text: "Thinking", tone: "accent" };
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
  readonly words: string;
  /** The same where space is short. */
  readonly short: string;
}

/** The choices, the most careful of the usable ones first. */
export const policies: readonly PolicyChoice[] = [
  { value: "ask", words: "Ask every time", short: "Ask every time" },
  { value: "", words: "Ask when the agent asks", short: "As the agent asks" },
  { value: "approve-reads", words: "Allow reading, ask for the rest", short: "Allow reading" },
  { value: "approve-all", words: "Allow everything", short: "Allow everything" },
  { value: "deny-all", words: "Deny everything", short: "Deny everything" },
];

export function policyOf(value: string): ApprovalPolicy | undefined {
  const found = policies.find((choice) => choice.value === value)?.value;
  return found === "" ? undefined : found;
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
