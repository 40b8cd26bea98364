// Starts a server on a fake host for one test, and closes it with the test.
import type { Log } from "@holdfast/core";
import { MemoryMeta } from "@holdfast/core/testing";
import { onTestFinished } from "vitest";
import { type RunningServer, type ServerOptions, startServer } from "../server.ts";
import { ApiClient } from "./api-client.ts";
import { FakeHost } from "./fake-host.ts";

/** Everything a test of the server needs. */
export interface Serving {
  readonly host: FakeHost;
  readonly server: RunningServer;
  readonly client: ApiClient;
  readonly token: string;
  /** Lines of the log. */
  readonly lines: { level: string; message: string; facts: Readonly<Record<string, unknown>> | undefined }[];
}

/** Starts a server on any free port. */
export async function serve(
  options: Partial<ServerOptions> & { readonly logLimitBytes?: number } = {},
): Promise<Serving> {
  const host = new FakeHost(options.logLimitBytes);
  const token = "a-token-for-tests";
  const lines: Serving["lines"] = [];
  const log: Log = (level, message, facts) => {
    lines.push({ level, message, facts });
  };
  const server = await startServer({
    host,
    token,
    log,
    meta: new MemoryMeta(),
    // Clients of tests are of the host's own user; which process they are is looked for in tests of that alone.
    peers: {
      findSocket: async () => ({ uid: process.getuid?.() ?? 0, inode: "0" }),
      findProcess: async () => undefined,
    },
    listen: { host: "127.0.0.1", port: 0 },
    graceMs: 0,
    ...options,
  });
  onTestFinished(() => server.close());
  return { host, server, client: new ApiClient(server.url, token), token, lines };
}
