// A way to a host that can be cut: every connection through it is lost at once.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The way. */
export interface CutLine {
  readonly url: string;
  /** Ends every connection; new ones are let through. */
  cut(): void;
  /** Ends the connection of the next request that begins like this, before the host hears of it. */
  lose(request: RegExp): void;
  close(): Promise<void>;
}

/** Lays a way to a host. */
export async function layLine(hostUrl: string): Promise<CutLine> {
  const port = Number(new URL(hostUrl).port);
  const sockets = new Set<Socket>();
  let lost: RegExp | undefined;
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
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
