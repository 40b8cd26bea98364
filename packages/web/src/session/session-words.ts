// What sessions are called and said to be doing, in words for people.
import type { SessionPhase, SessionSummary } from "@holdfast/ahp";

/** A word for what a session is doing, and how it is marked. */
export interface PhaseWords {
  readonly text: string;
  readonly tone: "attention" | "bad" | "accent" | "plain";
}

/** Says what a session is doing. */
export function phaseWords(phase: SessionPhase): PhaseWords {
  switch (phase.status) {
    case "busy":
      return busyWords(phase.waitingFor);
    case "creating":
      return { text: "starting", tone: "accent" };
    case "resuming":
      return { text: "coming back", tone: "accent" };
    case "failed":
      return { text: "failed to start", tone: "bad" };
    case "stale":
      return phase.cause === "agent-exited" || phase.cause === "resume-failed"
        ? { text: "agent gone", tone: "bad" }
        : { text: "asleep", tone: "plain" };
    case "closed":
      return { text: "closed", tone: "plain" };
    case "ready":
      return { text: "ready", tone: "plain" };
  }
}

function busyWords(waitingFor: string): PhaseWords {
  switch (waitingFor) {
    case "permission":
      return { text: "asks you", tone: "attention" };
    case "input":
      return { text: "asks you", tone: "attention" };
    case "tool":
      return { text: "runs a tool", tone: "accent" };
    case "agent":
      return { text: "wakes its agent", tone: "accent" };
    default:
      return { text: "thinks", tone: "accent" };
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

/** The `file:` URI of an absolute path. */
export function fileUriOf(path: string): string {
  const withSlashes = path.replaceAll("\\", "/");
  const rooted = withSlashes.startsWith("/") ? withSlashes : `/${withSlashes}`;
  return `file://${rooted.split("/").map(encodeURIComponent).join("/")}`;
}
