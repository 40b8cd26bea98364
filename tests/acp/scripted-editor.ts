// Editors and the script of the agent behind them, for tests of ACP.
import { onTestFinished } from "vitest";
import { askPermission, say, update as step } from "../../packages/core/src/testing/script.ts";
import type { ServedHost } from "../ahp/served-host.ts";
import { overHttp, overWebSocket, type SdkEditor } from "./sdk-editor.ts";

/** An editor that has not introduced itself; the agent of its sessions follows the script. */
export function connect(host: ServedHost, transport: "WebSocket" | "HTTP" = "WebSocket"): SdkEditor {
  const place = { url: host.server.url, token: host.token };
  return transport === "HTTP" ? overHttp(place, "?agent=mine") : overWebSocket(place, "?agent=mine");
}

/** An editor with a session. */
export async function open(
  host: ServedHost,
  clientId?: string,
): Promise<{ editor: SdkEditor; sessionId: string }> {
  const editor = connect(host);
  await editor.initialize(true, clientId);
  const { sessionId } = await editor.newSession(host.work);
  return { editor, sessionId };
}

/** A request of another client about a session. */
export function post(host: ServedHost, sessionId: string, at: string, body: object): Promise<Response> {
  const path = `/sdk/acp/session/${encodeURIComponent(sessionId)}${at}`;
  return host.fetch(path, { method: "POST", body: JSON.stringify(body) });
}

/** The host's id of a question. */
export function requestIdOf({ _meta: meta }: { readonly _meta?: Record<string, unknown> | null }): string {
  const own = (meta ?? {})["holdfast"] as { readonly requestId: string };
  return own.requestId;
}

/** Rejections that nobody handles, of which one ends the host, until the test is over. */
export function collectRejections(): readonly unknown[] {
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  return rejections;
}

const session = {
  modes: {
    currentModeId: "code",
    availableModes: [
      { id: "code", name: "Code" },
      { id: "plan", name: "Plan" },
    ],
  },
  configOptions: [
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: "small",
      options: [
        { value: "small", name: "Small" },
        { value: "large", name: "Large" },
      ],
    },
  ],
};

/** Steps of the agent, by the prompt. */
export const script = {
  session,
  prompts: {
    hello: [say("Hello "), say("there.")],
    ask: [askPermission("edit", { kind: "edit", title: "Edit it" }), say("done")],
    hang: [say("working"), { do: "hang" }],
    fail: [{ do: "fail", code: -32603, message: "out of luck" }],
    rich: [
      step("agent_thought_chunk", { content: { type: "text", text: "hm" } }),
      step("plan", { entries: [{ content: "step", priority: "high", status: "pending" }] }),
      step("tool_call", { toolCallId: "e1", title: "Edit", kind: "edit", status: "in_progress" }),
      step("tool_call_update", {
        toolCallId: "e1",
        status: "completed",
        content: [{ type: "diff", path: "/tmp/a.txt", oldText: "a", newText: "b" }],
      }),
      step("usage_update", { used: 10, size: 100 }),
      step("available_commands_update", {
        availableCommands: [{ name: "web", description: "Search", input: { hint: "words" } }],
      }),
      say("end"),
    ],
  },
} as const;
