// The JSON-RPC connection to an agent: who answers what it asks, and who hears what it tells.
import { Connection, type RepeatedTextOptions, ndjsonFraming } from "@holdfast/jsonrpc";
import type { KeeperRun } from "@holdfast/keeper/port";
import type { AcpContent, AcpUpdate } from "./acp.ts";
import type { AgentServices, OfSession } from "./agent-services.ts";
import type { UpdateGate } from "./update-gate.ts";

/** What a connection writes to, once it is there. */
export interface AgentLink {
  run: KeeperRun | undefined;
  onDrain: () => void;
}

type UpdateParams = Partial<OfSession> & { readonly update: AcpUpdate };

/** Agents send their answers as thousands of updates that differ in their text alone. */
function piecesOfText(services: AgentServices, gate: UpdateGate): RepeatedTextOptions {
  return {
    method: "session/update",
    read: (params) => {
      const update = (params as { update?: AcpUpdate } | undefined)?.update;
      if (typeof update?.toolCallId === "string") return undefined;
      return (update?.["content"] as AcpContent | undefined)?.text;
    },
    handle: (params, text) => {
      const { sessionId, update } = params as UpdateParams;
      if (gate.admits(sessionId, update)) services.updateText(update, text);
    },
  };
}

/** Opens the connection: every request and update of the agent goes to the services of its session. */
export function openConnection(link: AgentLink, services: AgentServices, gate: UpdateGate): Connection {
  return new Connection({
    framing: ndjsonFraming(),
    sink: {
      write: (chunks) => {
        let more = true;
        for (const chunk of chunks) {
          more = link.run?.write(typeof chunk === "string" ? Buffer.from(chunk) : chunk) ?? true;
        }
        return more;
      },
      onDrain: (listener) => {
        link.onDrain = listener;
      },
    },
    cancelMethod: "$/cancel_request",
    repeatedText: piecesOfText(services, gate),
    orderKey: (method, params) =>
      method === "session/update" ? (params as OfSession | undefined)?.sessionId : undefined,
    onWarning: (warning) => services.warn(`${warning.kind}: ${JSON.stringify(warning)}`.slice(0, 500)),
    notifications: {
      "session/update": (params) => {
        const { sessionId, update } = params as UpdateParams;
        if (gate.admits(sessionId, update)) services.update(update);
      },
    },
    requests: {
      "session/request_permission": (params, { signal }) =>
        services.requestPermission(params as never, signal),
      "fs/read_text_file": (params, { signal }) => services.readFile(params as never, signal),
      "fs/write_text_file": (params, { signal }) => services.writeFile(params as never, signal),
      "terminal/create": (params, { signal }) => services.createTerminal(params as never, signal),
      "terminal/output": (params) => services.terminalOutput(params as never),
      "terminal/wait_for_exit": (params, { signal }) => services.waitForTerminalExit(params as never, signal),
      "terminal/kill": (params) => services.killTerminal(params as never),
      "terminal/release": (params) => services.releaseTerminal(params as never),
      "elicitation/create": (params, { signal }) => services.elicit(params as never, signal),
    },
  });
}
