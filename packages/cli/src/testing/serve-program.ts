// The program with a bare HTTP server in the host's place, for tests of what surrounds the host.
//
// TEST_DRAIN=<ms|never> slows the end down; TEST_FAULT=uncaught|rejection|start fails.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runProgram } from "../program.ts";
import type { HostParts, ListeningHost } from "../serve/serve.ts";

const drain = process.env["TEST_DRAIN"];
const fault = process.env["TEST_FAULT"];

async function startHost({ config }: HostParts): Promise<ListeningHost> {
  if (fault === "start") throw new Error("cannot start");
  const server = createServer((_request, response) => response.end(String(process.pid)));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(config.listen.port, config.listen.host, resolve);
  });
  if (fault === "uncaught") setImmediate(() => throwFault());
  if (fault === "rejection") setImmediate(() => void Promise.reject(new Error("planted fault")));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${config.listen.host}:${port}`,
    async close(): Promise<void> {
      process.stderr.write("draining\n");
      if (drain === "never") await new Promise(() => undefined);
      await delay(Number(drain ?? 0));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function throwFault(): never {
  throw new Error("planted fault");
}

await runProgram({ programPath: fileURLToPath(import.meta.url), loadHost: () => Promise.resolve(startHost) });
