// A way to a host that can be cut: every connection through it is lost at once.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The way. */
export interface CutLine {
  readonly url: string;
  /** Ends every connection; new ones are let through. */
  cut(): void;
  /** Ends the connection of the next request that begins like this, before the host hears of it. */
  lose(request: RegExp): void;
  /** Responds to the next request that begins like this instead of passing it on: as a host that stops, or as named. */
  refuse(request: RegExp, response?: string): void;
  close(): Promise<void>;
}

const refusal = JSON.stringify({ success: false, error: "The host is stopping.", code: "HOST_STOPPING" });
const stopping =
  "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nconnection: close\r\n" +
  `content-length: ${refusal.length}\r\n\r\n${refusal}`;
/** A proxy's response to a body that is larger than it forwards. */
export const TOO_LARGE = "HTTP/1.1 413 Content Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** Lays a way to a host. */
export async function layLine(hostUrl: string): Promise<CutLine> {
  const port = Number(new URL(hostUrl).port);
  const sockets = new Set<Socket>();
  let lost: RegExp | undefined;
  let refused: { readonly request: RegExp; readonly response: string } | undefined;
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      // A cut connection is what this is for.
      socket
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
    near.on("data", (bytes: Buffer) => {
      if (lost?.test(bytes.toString("latin1")) === true) {
        lost = undefined;
        near.destroy();
      } else if (refused?.request.test(bytes.toString("latin1")) === true) {
        near.end(refused.response);
        refused = undefined;
      } else far.write(bytes);
    });
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: ownPort } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${ownPort}`,
    cut,
    lose: (request) => (lost = request),
    refuse: (request, response = stopping) => (refused = { request, response }),
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
