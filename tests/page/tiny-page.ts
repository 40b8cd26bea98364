// The built page in front of a host of a hundred lines, for states that a real one takes too long to come to.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { WebSocketServer } from "ws";
import { TinyHost } from "../../packages/ahp/src/testing/tiny-host.ts";
import { pageFolder } from "./page-browser.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** A page and the host behind it. */
export interface TinyPage {
  readonly url: string;
  readonly host: TinyHost;
  /** Breaks every connection. */
  hangUp(): void;
  close(): void;
}

/** Serves the page without any credentials, on this machine alone. */
export async function startTinyPage(): Promise<TinyPage> {
  const host = new TinyHost();
  const server = createServer(({ url = "/" }, response) => {
    if (url.startsWith("/sdk/acp/agents")) {
      response.setHeader("content-type", "application/json").end('{ "agents": [] }');
      return;
    }
    const name = url === "/" ? "index.html" : path.basename(url);
    const folder = url.startsWith("/assets/") ? path.join(pageFolder, "assets") : pageFolder;
    try {
      const body = readFileSync(path.join(folder, name));
      response.setHeader("content-type", contentTypes[path.extname(name)] ?? "text/plain").end(body);
    } catch {
      // The page asks for nothing else that it cannot do without.
      response.writeHead(404).end();
    }
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    host.accept({
      send: (text) => socket.send(text),
      onMessage: (listener) => socket.on("message", (data: Buffer) => listener(data.toString("utf8"))),
      onClose: (listener) => socket.once("close", () => listener()),
      close: () => socket.close(),
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const hangUp = (): void => {
    for (const socket of sockets.clients) socket.terminate();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    host,
    hangUp,
    close: () => {
      hangUp();
      server.close();
      server.closeAllConnections();
    },
  };
}
