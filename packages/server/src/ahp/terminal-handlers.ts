// What clients can ask of terminals.
import { makeId } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { HandlerTools, RequestHandlers } from "./handlers.ts";

/** The handlers of what concerns terminals. */
export function terminalHandlers({
  port,
  channels,
}: HandlerTools): Pick<RequestHandlers, "createTerminal" | "disposeTerminal"> {
  return {
    createTerminal: async ({ record: { clientId } }, { channel, claim, name, cwd, cols, rows }) => {
      const size = { ...(cols !== undefined && { cols }), ...(rows !== undefined && { rows }) };
      await port.terminals.create({
        uri: makeId("terminal URI", channel),
        clientId,
        claim,
        name,
        cwd,
        size,
      });
      return null;
    },
    disposeTerminal: async ({ dialect }, { channel }) => {
      const found = await channels.find(dialect, channel);
      if (found?.kind !== "terminal") throw new HostError("TERMINAL_NOT_FOUND");
      await port.terminals.dispose(found.uri);
      return null;
    },
  };
}
