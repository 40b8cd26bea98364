// The answers of the operations, with the members that clients index without asking.
import { describe, expect, it } from "vitest";
import type { OperationOutput } from "../operation.ts";
import { OPERATIONS } from "../operations.ts";
import { agentInfoSchema, modelMembers } from "./agent.ts";

const session = {
  session_key: "agent:shell:acp:550e8400-e29b-41d4-a716-446655440000",
  agent_id: "shell",
  state: "ready",
  backend_id: "b1",
  created_at: "2026-11-05T12:00:00.000Z",
} as const;

describe("answers", () => {
  it.each(Object.keys(session))("[P18] a session is not complete without %s", (member) => {
    const partial = Object.fromEntries(Object.entries(session).filter(([key]) => key !== member));
    const { response } = OPERATIONS.createSession;
    expect(response.safeParse({ success: true, session }).success).toBe(true);
    expect(response.safeParse({ success: true, session: partial }).success).toBe(false);
  });

  it("[P18] a session's status adds its options and what last happened", () => {
    const answer: OperationOutput<typeof OPERATIONS.getSession> = {
      success: true,
      session: {
        ...session,
        state: "stale",
        runtime_options: { timeoutSeconds: 300, approvalPolicy: "approve-all" },
        last_activity_at: null,
        last_error: "The agent's process ended.",
      },
    };
    expect(OPERATIONS.getSession.response.parse(answer)).toEqual(answer);
  });

  it("[P18] a synchronous turn reports its text, why it ended and what was denied", () => {
    const answer: OperationOutput<typeof OPERATIONS.chat> = {
      success: true,
      response: {
        text: "done",
        stop_reason: "end_turn",
        denied: [{ action: "execute", target: "make", toolCallId: "c1" }],
      },
    };
    expect(OPERATIONS.chat.response.parse(answer)).toEqual(answer);
    expect(OPERATIONS.chat.response.safeParse({ success: true, text: "done" }).success).toBe(false);
  });

  it("[P19] the known models of an agent are reported under both names", () => {
    const agent = {
      id: "claude-cli",
      label: "Claude Code",
      handles: ["claude"],
      installed: true,
      authReady: false,
      version: null,
      status: "installed",
      ...modelMembers({ models: [{ id: "m", name: "M" }], source: "fallback", error: "offline", at: null }),
    };
    expect(agentInfoSchema.parse(agent)).toEqual(agent);
    expect(agent).toMatchObject({
      models: [{ id: "m", name: "M" }],
      modelSource: "fallback",
      source: "fallback",
      modelError: "offline",
      error: "offline",
    });
  });
});
