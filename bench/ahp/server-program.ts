// Our host in a separate process that reports its processor time and memory.
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ROOT_URI, isId } from "@holdfast/ahp";
import { Host, requireAccepted } from "@holdfast/core";
import { Spawner } from "@holdfast/terminal/process";
import { readConfig } from "@holdfast/protocol";
import { startServer } from "@holdfast/server";
import { openFileSpool, openSqliteStorage } from "@holdfast/storage-sqlite";
import { serve } from "../terminal/isolated.ts";
import type { FloodKind } from "./flood.ts";

/** Opens every door of the host that is measured. */
export const TOKEN = "bench-of-ahp";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const clientId = "bench";
let host: Host | undefined;
let address = "";
let highestBytes = 0;
let watch: NodeJS.Timeout | undefined;

function started(): Host {
  if (host === undefined) throw new Error("open comes first");
  return host;
}

async function post(route: string, body: object): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/json", "x-api-key": TOKEN };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${address}/sdk/acp${route}`, request);
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Has an agent run a command; gives the terminal's URI. */
async function runAsText(command: string): Promise<string> {
  const { hub } = started();
  const known = new Set(hub.list("terminal").map(({ uri }) => uri));
  const wish = { agent_id: "flood", cwd: "/", approvalPolicy: "approve-all" };
  const { session } = (await post("/session", wish)) as { session: { session_key: string } };
  void post(`/session/${encodeURIComponent(session.session_key)}/chat`, { message: command });
  for (;;) {
    const made = hub.list("terminal").find(({ uri }) => !known.has(uri));
    if (made !== undefined) return made.uri;
    await sleep(5);
  }
}

/** The questions that the benchmark asks. */
const program = serve({
  /** Starts the host in a folder; gives where it listens. */
  open: async (folder: string): Promise<string> => {
    const args = [fileURLToPath(new URL("flood-agent.mjs", import.meta.url))];
    const agent = { command: process.execPath, args };
    const config = readConfig({ agents: { flood: agent } });
    if (!config.ok) throw new Error(JSON.stringify(config.problems));
    const log = (level: string, message: string, facts?: object): void => {
      if (level === "error") process.stderr.write(`${message} ${JSON.stringify(facts)}\n`);
    };
    const storage = await openSqliteStorage({ file: path.join(folder, "holdfast.db") });
    host = new Host({
      processPort: new Spawner(),
      storage,
      spool: await openFileSpool({ folder: path.join(folder, "spool") }),
      config: config.value,
      stateFolder: folder,
      shellAgent: { ...agent, version: "0" },
      log,
    });
    const listen = { host: "127.0.0.1", port: 0 };
    const server = await startServer({ host, token: TOKEN, listen, log, meta: storage.meta });
    address = server.url;
    return `${server.url.replace("http", "ws")}/ahp?tkn=${TOKEN}`;
  },
  /** Runs a command in a terminal; gives its URI. */
  run: async ({ kind, command }: { kind: FloodKind; command: string }): Promise<string> => {
    if (kind === "text") return runAsText(command);
    if (!isId("client", clientId)) throw new Error("The name of the client is none");
    const shell = { cwd: "/", program: { command: "/bin/sh", args: ["-c", command] } };
    const request = { type: "root/createTerminal", shell } as const;
    const submission = await started().submit(ROOT_URI, request, { actor: { kind: "client", clientId } });
    return requireAccepted(submission, "INTERNAL").result?.uri ?? "";
  },
  /** Processor time so far, in milliseconds. */
  cpuMs: async (): Promise<number> => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  /** Memory after everything that can go has gone, in bytes; from now on its highest mark is noted. */
  rest: async (): Promise<number> => {
    for (let round = 0; round < 4; round += 1) {
      collectGarbage();
      await sleep(50);
    }
    clearInterval(watch);
    highestBytes = 0;
    watch = setInterval(() => (highestBytes = Math.max(highestBytes, process.memoryUsage.rss())), 50);
    return process.memoryUsage.rss();
  },
  /** Resident memory now. */
  rssBytes: async (): Promise<number> => process.memoryUsage.rss(),
  /** The highest mark since. */
  highestBytes: async (): Promise<number> => highestBytes,
});

/** Requests that the program handles. */
export type ServerProgram = typeof program;
