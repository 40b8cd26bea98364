// What an agent can do, from what it says in the handshake and what is known of it.
import type { ConnectedAgent } from "@holdfast/ahp";
import type { Quirk } from "@holdfast/protocol";
import type { AcpInitializeResult } from "./acp.ts";

/** The ways to bring a session of an earlier process back, the best first. */
export function listReopenMethods(
  { agentCapabilities }: AcpInitializeResult,
  quirks: readonly Quirk[],
): ("session/resume" | "session/load")[] {
  if (quirks.includes("cannot-load-after-restart")) return [];
  return [
    ...(isMarked(agentCapabilities?.sessionCapabilities?.resume) ? (["session/resume"] as const) : []),
    ...(agentCapabilities?.loadSession === true ? (["session/load"] as const) : []),
  ];
}

/** Whether an agent can be told that a session is no longer needed. */
export function canCloseSession({ agentCapabilities }: AcpInitializeResult): boolean {
  return isMarked(agentCapabilities?.sessionCapabilities?.close);
}

/** An agent in the model's words. */
export function describeAgent(info: AcpInitializeResult, quirks: readonly Quirk[]): ConnectedAgent {
  const { agentInfo, agentCapabilities } = info;
  const prompt = agentCapabilities?.promptCapabilities ?? {};
  const [best] = listReopenMethods(info, quirks);
  return {
    name: agentInfo?.name ?? "agent",
    resume: best === undefined ? "none" : best === "session/resume" ? "resume" : "load",
    accepts: (["image", "audio", "embeddedContext"] as const).filter((kind) => prompt[kind] === true),
    ...(agentInfo?.version !== undefined && { version: agentInfo.version }),
  };
}

/** Support is marked by an object, by some agents with `true`; null and false mean the same as nothing. */
function isMarked(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
