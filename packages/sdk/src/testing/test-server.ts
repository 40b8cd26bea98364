// A small HTTP server for one test: it keeps every request and answers as the test says.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request as it came in. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that listens until the test is over. */
export interface TestServer {
  readonly url: string;
  /** Every request, the token's included, in the order in which they came. */
  readonly requests: SeenRequest[];
  /** Stops to listen and cuts every connection. */
  stop(): void;
}

/** Deviations from the default server. */
export interface TestServerOptions {
  /** Where it listens; on a free port if left out. */
  readonly port?: number;
  /** Answers a client that asks for a user's token, which it does before its first call; 404 if left out. */
  readonly answerToken?: Answer;
}

type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** Starts one. */
export async function startTestServer(
  answer: Answer,
  { port = 0, answerToken = hasNoToken }: TestServerOptions = {},
): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then(async (body) => {
      const { pathname, searchParams } = new URL(incoming.url ?? "", "http://host");
      const { method = "", headers } = incoming;
      const request = { method, path: pathname, query: searchParams, headers, body };
      requests.push(request);
      await (pathname === "/sdk/auth/token" ? answerToken : answer)(request, response);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}`, requests, stop };
}

function hasNoToken(_request: SeenRequest, response: ServerResponse): void {
  answerJson(response, { success: false, error: "There is nothing at this path.", code: "NOT_FOUND" }, 404);
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Begins a stream of events. */
export function beginEvents(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
}

/** Writes, and waits until the other side's kernel may have it. */
export function write(response: ServerResponse, content: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(content, () => resolve());
  });
}
