// Starts a server on a small host for one test, and closes it with the test.
import type { Log } from "@holdfast/core";
import { onTestFinished } from "vitest";
import { startServer, type RunningServer, type ServerOptions } from "../server.ts";
import { ApiClient } from "./api-client.ts";
import { SmallHost } from "./small-host.ts";

/** Everything a test of the server needs. */
export interface Serving {
  readonly host: SmallHost;
  readonly server: RunningServer;
  readonly client: ApiClient;
  readonly token: string;
  /** What was written to the log. */
  readonly lines: { level: string; message: string; facts: Readonly<Record<string, unknown>> | undefined }[];
}

/** Starts a server on any free port. */
export async function serve(
  options: Partial<ServerOptions> & { readonly logLimitBytes?: number } = {},
): Promise<Serving> {
  const host = new SmallHost(options.logLimitBytes);
  const token = "a-token-for-tests";
  const lines: Serving["lines"] = [];
  const log: Log = (level, message, facts) => {
    lines.push({ level, message, facts });
  };
  const server = await startServer({
    host,
    token,
    log,
    listen: { host: "127.0.0.1", port: 0 },
    graceMs: 0,
    ...options,
  });
  onTestFinished(() => server.close());
  return { host, server, client: new ApiClient(server.url, token), token, lines };
}
