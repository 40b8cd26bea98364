// Operations on terminals.
import { success } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";
import { EventPump, type PumpOptions } from "./event-pump.ts";
import type { Handlers } from "./operation-routes.ts";
import { ReadSignal } from "./read-signal.ts";
import { TerminalEventSource } from "./terminal-source.ts";

type TerminalOperation =
  | "createTerminal"
  | "listTerminals"
  | "readTerminal"
  | "streamTerminal"
  | "writeTerminal"
  | "resizeTerminal"
  | "claimTerminal"
  | "killTerminal";

/** The handlers of what concerns terminals. */
export function terminalHandlers(host: HostPort, options: PumpOptions): Pick<Handlers, TerminalOperation> {
  return {
    createTerminal: async ({ body }, { caller }) => {
      const { cols, rows, input: hasInput, paced: isPaced, ...command } = body;
      const request = { ...command, size: { cols, rows }, hasInput, isPaced };
      return success({ terminal: await host.createTerminal(request, caller) });
    },
    listTerminals: ({ query }, { caller }) =>
      success({ terminals: host.listTerminals(caller, query.session) }),
    readTerminal: async ({ params, query }, { caller }) =>
      success({ output: await host.readTerminal(params.id, query.limitBytes, caller) }),
    streamTerminal: async ({ params, query, headers }, { caller }) => {
      const signal = new ReadSignal();
      const after = headers["last-event-id"] ?? query.after;
      const feed = await host.followTerminal(params.id, after, caller, signal.notify, query.paced);
      return new EventPump({ source: new TerminalEventSource(feed, signal.notify), signal }, options);
    },
    writeTerminal: async ({ params, body }, { caller }) => {
      const { text, bytes = "", offset, end: isLast } = body;
      const input = text === undefined ? Buffer.from(bytes, "base64") : Buffer.from(text);
      await host.writeTerminal(params.id, input, caller, { offset, isLast });
      return success({});
    },
    resizeTerminal: async ({ params, body }, { caller }) =>
      success({ size: await host.resizeTerminal(params.id, body, caller) }),
    claimTerminal: async ({ params, body }, { caller }) =>
      success({ terminal: await host.claimTerminal(params.id, body, caller) }),
    killTerminal: async ({ params }, { caller }) => {
      await host.killTerminal(params.id, caller);
      return success({});
    },
  };
}
