// The built page in front of a host of a hundred lines, for states that a real one takes too long to come to.
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
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

/** How the host treats its clients: a silent one accepts connections and says nothing, one that is away accepts none. */
type Conduct = "responding" | "silent" | "away" | "signed-out";

/** A page and the host behind it. */
export interface TinyPage {
  readonly url: string;
  readonly host: TinyHost;
  conduct: Conduct;
  /** The agents that it lists. */
  agents: readonly object[];
  /** Breaks every connection. */
  hangUp(): void;
  close(): void;
}

/** Serves the page without any credentials, on this machine alone. */
export async function startTinyPage(): Promise<TinyPage> {
  const host = new TinyHost();
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    if (pathname === "/sdk/acp/agents") sendJson(response, { agents: tiny.agents });
    else if (pathname === "/sdk/ping") response.writeHead(tiny.conduct === "signed-out" ? 401 : 200).end();
    else sendFile(response, pathname);
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (tiny.conduct === "away" || tiny.conduct === "signed-out") socket.destroy();
    else sockets.handleUpgrade(request, socket, head, (open) => sockets.emit("connection", open));
  });
  sockets.on("connection", (socket) => {
    host.accept({
      send: (text) => socket.send(text),
      onMessage: (listener) =>
        socket.on("message", (data: Buffer) => {
          if (tiny.conduct !== "silent") listener(data.toString("utf8"));
        }),
      onClose: (listener) => socket.once("close", () => listener()),
      close: () => socket.close(),
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const tiny: TinyPage = {
    url: `http://127.0.0.1:${port}`,
    host,
    conduct: "responding",
    agents: [],
    hangUp: () => {
      for (const socket of sockets.clients) socket.terminate();
    },
    close: () => {
      tiny.hangUp();
      server.close();
      server.closeAllConnections();
    },
  };
  return tiny;
}

function sendJson(response: ServerResponse, body: object): void {
  response.setHeader("content-type", "application/json").end(JSON.stringify(body));
}

function sendFile(response: ServerResponse, pathname: string): void {
  const name = pathname === "/" ? "index.html" : path.basename(pathname);
  const folder = pathname.startsWith("/assets/") ? path.join(pageFolder, "assets") : pageFolder;
  try {
    const body = readFileSync(path.join(folder, name));
    response.setHeader("content-type", contentTypes[path.extname(name)] ?? "text/plain").end(body);
  } catch {
    // The page asks for nothing else that it cannot do without.
    response.writeHead(404).end();
  }
}
