// Clients that follow a terminal's output to its end, and reconnect when the host restarts.
import { makeId, terminalUri } from "@holdfast/ahp";
import { AhpClient, webSocketTransport } from "@holdfast/ahp/client";
import type { Holdfast } from "@holdfast/sdk";
import { WebSocket } from "ws";

/** Follows a terminal, and notes when something came. */
export interface TerminalViewer {
  readonly kind: "AHP" | "SSE";
  readonly arrivalsMs: readonly number[];
  /** All output, when the command has ended. */
  readonly text: Promise<string>;
}

/** Follows by the app API; a byte that is missing or comes again is an error. */
export function followByStream(sdk: Holdfast, terminalId: string): TerminalViewer {
  const arrivalsMs: number[] = [];
  const read = async (): Promise<string> => {
    const pieces: Buffer[] = [];
    let nextOffset = 0;
    for await (const event of sdk.terminals.stream(terminalId, { after: 0 })) {
      if (event.type !== "output") continue;
      arrivalsMs.push(Date.now());
      if (event.data.offset !== nextOffset) {
        throw new Error(`bytes at ${event.data.offset}, expected ${nextOffset}`);
      }
      nextOffset += event.data.bytes.length;
      pieces.push(Buffer.from(event.data.bytes));
    }
    return Buffer.concat(pieces).toString();
  };
  return { kind: "SSE", arrivalsMs, text: read() };
}

/** The address of a host, the same after each restart. */
interface HostAddress {
  readonly url: string;
  readonly token: string;
}

/** A client as the page has it. */
export async function connectByAhp({ url, token }: HostAddress, clientId: string): Promise<AhpClient> {
  const address = `${url.replace(/^http/, "ws")}/ahp?tkn=${token}`;
  const client = new AhpClient({ clientId, open: () => webSocketTransport(new WebSocket(address)) });
  await client.connect();
  return client;
}

/** Follows by AHP, as the page does. */
export async function followByAhp(
  host: HostAddress,
  clientId: string,
  terminalId: string,
): Promise<TerminalViewer> {
  const client = await connectByAhp(host, clientId);
  const arrivalsMs: number[] = [];
  let text = "";
  const whole = new Promise<string>((resolve, reject) => {
    const subscribed = client.subscribe(terminalUri(makeId("terminal", terminalId)), "terminal", {
      onEvent: (event) => {
        arrivalsMs.push(Date.now());
        if (event.type === "gone") return reject(new Error(`${clientId} lost its terminal`));
        if (event.type === "snapshot") text = (event.content ?? []).map((part) => part.text).join("");
        // A viewer that fell behind is sent the present content after this.
        else if (event.type === "action" && event.action.type === "terminal/cleared") text = "";
        else if (event.type === "action" && event.action.type === "terminal/data") text += event.action.data;
        if (event.state.lifecycle.status !== "exited") return;
        resolve(text);
        client.close();
      },
    });
    subscribed.catch(reject);
  });
  return { kind: "AHP", arrivalsMs, text: whole };
}
