// Examines the port that the configuration asks for: free, our own host's, or somebody else's.
import { once } from "node:events";
import { createServer } from "node:net";
import { explainListenError, type ListenAddress } from "../serve/listen.ts";
import { systemCode } from "../serve/start-error.ts";
import { mend, ok, type Verdict } from "./finding.ts";
import { findPortOwner } from "./port-owner.ts";
import type { Surroundings } from "./surroundings.ts";

const anyPort = "holdfast serve --port 0";

/** Whether a host can listen where it is asked to. */
export async function examinePort(
  surroundings: Pick<Surroundings, "config" | "runningHost">,
): Promise<Verdict> {
  const { listen } = surroundings.config;
  const { host, port } = listen;
  if (port === 0) return ok("any that is free, as the configuration asks");
  const fault = await tryListening(listen);
  if (fault === undefined) return ok(`${host}:${port} is free`);
  if (systemCode(fault) !== "EADDRINUSE") {
    return mend(explainListenError(fault, listen).message, {
      remedy: "Change `listen` in the configuration, or say it when the host is started.",
      command: systemCode(fault) === "EACCES" ? anyPort : "holdfast serve --host 127.0.0.1",
    });
  }
  const own = await surroundings.runningHost().catch(() => undefined);
  if (own !== undefined && portOf(own.url) === port) {
    return ok(`${port} is used by this home's host (process ${own.pid})`);
  }
  const owner = findPortOwner(port);
  const who =
    owner === undefined ? "a process that is not yours to see" : `process ${owner.pid}: ${owner.command}`;
  return mend(`${port} is taken by ${who}`, {
    remedy:
      "End that process, set another `listen.port` in the configuration, or take any port that is free.",
    command: anyPort,
  });
}

async function tryListening({ host, port }: ListenAddress): Promise<unknown> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return error;
  } finally {
    server.close();
  }
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
