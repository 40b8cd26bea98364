// The table of what the host does not implement of AHP 1.0, from its handlers and a list of all there is.
import { dispatchableActions, requestMethods } from "@holdfast/ahp/dialects";
import { code, markdownTable } from "./markdown-table.ts";

const AUTOMATIONS = "no automations";
const CUSTOMIZATIONS = "agents read their own customizations";
const MCP_SERVERS = "agents start MCP servers themselves";
const ONE_FOLDER = "a session's folders are set when it is created";
const ONE_CHAT = "an ACP session is one chat";
const SIGN_IN = "agents sign in themselves, and none names a protected resource";
const NO_LOGS = "the log is a file of the host; metrics have a channel";

/** Requests of AHP 1.0; a text says why there is none. */
const requests: { readonly [name: string]: string | undefined } = {
  ...Object.fromEntries(requestMethods.map((name) => [name, undefined])),
  moveChat: ONE_CHAT,
};

/** Actions of AHP 1.0 that clients may dispatch. */
const actions: { readonly [name: string]: string | undefined } = {
  ...Object.fromEntries(dispatchableActions().map((name) => [name, undefined])),
  "session/customizationToggled": CUSTOMIZATIONS,
  "session/mcpServerStartRequested": MCP_SERVERS,
  "session/mcpServerStopRequested": MCP_SERVERS,
  "session/mcpServerBackgroundRequested": MCP_SERVERS,
  "session/workingDirectorySet": ONE_FOLDER,
  "session/workingDirectoryRemoved": ONE_FOLDER,
  "session/workingDirectoryReplaced": ONE_FOLDER,
  "chat/workingDirectorySet": ONE_FOLDER,
  "chat/workingDirectoryRemoved": ONE_FOLDER,
  "chat/truncated": "agents remember their turns, so they cannot be taken back",
  "chat/toolCallResultConfirmed": "no result waits for confirmation",
  "automation/*": AUTOMATIONS,
};

/** Actions that are read and always rejected. */
const alwaysRejected = ["chat/truncated"];

/** Notifications of AHP 1.0 that the host never sends. */
const notifications: { readonly [name: string]: string } = {
  "auth/required": SIGN_IN,
  "otlp/exportLogs": NO_LOGS,
  "otlp/exportTraces": NO_LOGS,
};

/** Channels of AHP 1.0 that the host does not have. */
const channels: { readonly [name: string]: string } = {
  "mcp:": MCP_SERVERS,
};

/** One row for each thing that is missing; fails when one of them has a handler. */
export function missingFromAhp(): string {
  const implemented = new Set([...requestMethods, ...dispatchableActions()]);
  for (const name of alwaysRejected) implemented.delete(name);
  const rows = Object.entries({
    request: requests,
    action: actions,
    notification: notifications,
    channel: channels,
  });
  return markdownTable(
    ["kind", "missing", "reason"],
    rows.flatMap(([kind, all]) =>
      Object.entries(all).flatMap(([name, reason]) => {
        if (reason === undefined) return [];
        if (implemented.has(name)) throw new Error(`${name} is implemented; remove it from the list.`);
        return [[kind, code(name), reason]];
      }),
    ),
  );
}
