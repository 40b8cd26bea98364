// A real host behind a real server, in this process, with agents that follow a script.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Host, type HostOptions, type Redactor } from "@holdfast/core";
import type { Storage } from "@holdfast/core/ports";
import type { ProcessPort } from "@holdfast/terminal/port";
import { Spawner } from "@holdfast/terminal/process";
import { readConfig } from "@holdfast/protocol";
import { startServer, type RunningServer, type ServerOptions } from "@holdfast/server";
import { openSqliteStorage } from "@holdfast/storage-sqlite";
import { onTestFinished } from "vitest";
import {
  AhpClient,
  webSocketTransport,
  type AhpClientOptions,
  type MessageTransport,
  type WebSocketLike,
} from "@holdfast/ahp/client";
import { WebSocket } from "ws";
import { sharedProcessPort } from "../../packages/core/src/testing/shared-process-port.ts";
import { WireClient, type Greeting } from "./wire-client.ts";

const agentFile = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));

/** A test's host and its clients. */
export class ServedHost {
  readonly host: Host;
  readonly server: RunningServer;
  readonly token: string;
  /** The folder in which sessions work. */
  readonly work: string;
  /** What was written to the log as a fault. */
  readonly faults: unknown[];

  constructor(parts: Pick<ServedHost, "host" | "server" | "token" | "work" | "faults">) {
    this.host = parts.host;
    this.server = parts.server;
    this.token = parts.token;
    this.work = parts.work;
    this.faults = parts.faults;
  }

  /** The address of the WebSocket. */
  address(query = `?tkn=${this.token}`, at = "/ahp"): string {
    return `${this.server.url.replace(/^http/, "ws")}${at}${query}`;
  }

  /** A socket that is open. */
  async socket(): Promise<WireClient> {
    const client = await WireClient.open(this.address());
    onTestFinished(() => client.close());
    return client;
  }

  /** A client that has introduced itself. */
  async client(greeting: Greeting = {}): Promise<WireClient> {
    const client = await this.socket();
    await client.initialize(greeting);
    return client;
  }

  /** Our client library's client. */
  async own(clientId: string, options: Partial<AhpClientOptions> = {}): Promise<AhpClient> {
    const client = new AhpClient({
      clientId,
      open: () => transportOf(new WebSocket(this.address())),
      ...options,
    });
    onTestFinished(() => client.close());
    await client.connect();
    return client;
  }

  /** Messages the agent received. */
  agentRecord(): string {
    return readFileSync(path.join(this.work, "..", "mine.ndjson"), "utf8");
  }

  /** Asks the app API. */
  async fetch(at: string, { method, body }: { method?: string; body?: string } = {}): Promise<Response> {
    const headers = { "x-api-key": this.token };
    return fetch(`${this.server.url}${at}`, { headers, ...(method && { method }), ...(body && { body }) });
  }
}

/** A socket as our own client uses it: what browsers have built in and the package have the same events, in other types. */
export function transportOf(socket: unknown): Promise<MessageTransport> {
  return webSocketTransport(socket as WebSocketLike);
}

/** How a host is served. */
export interface ServeOptions {
  /** Script of the agent `mine`; see the fake agent. */
  readonly script?: object;
  readonly ahp?: { readonly heartbeatMs?: number; readonly beatMs?: number; readonly memoryMs?: number };
  /** Origins whose pages count as the host's own. */
  readonly allowedOrigins?: readonly string[];
  /** Timeouts that differ from the host's own. */
  readonly timeouts?: HostOptions["timeouts"];
  /** Rules about what agents may do. */
  readonly policy?: HostOptions["policy"];
  readonly redactor?: Redactor;
  /** A folder whose programs are found before all others. */
  readonly programs?: string;
  /** Finds the other ends of connections; absent: nothing is known about them. */
  readonly peers?: ServerOptions["peers"];
  /** Replaces the process port. */
  readonly wrapPort?: (port: ProcessPort) => ProcessPort;
  /** Writes to the storage what an earlier host left. */
  readonly prepareStorage?: (storage: Storage) => Promise<void>;
}

/** Serves hosts, each until its test is over, with one process port for all hosts of the worker. */
export function useServedHosts(): (options?: ServeOptions) => Promise<ServedHost> {
  const SHELL = "/bin/bash";
  return ({ programs, wrapPort = (port: ProcessPort) => port, ...options } = {}) => {
    if (programs === undefined) return serveHost(wrapPort(sharedProcessPort({ SHELL })), options);
    const PATH = [programs, process.env["PATH"]].filter((each) => each !== undefined).join(path.delimiter);
    return serveHost(wrapPort(new Spawner({ environment: { PATH, HOME: tmpdir(), SHELL } })), options);
  };
}

async function serveHost(
  processPort: ProcessPort,
  { script = {}, ahp, allowedOrigins, timeouts, policy, redactor, peers, prepareStorage }: ServeOptions,
): Promise<ServedHost> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-ahp-")));
  const work = path.join(folder, "work");
  mkdirSync(work);
  const scriptFile = path.join(folder, "mine.json");
  writeFileSync(scriptFile, JSON.stringify([script]));
  const env = { FAKE_AGENT_SCRIPT: scriptFile, FAKE_AGENT_RECORD: path.join(folder, "mine.ndjson") };
  const config = readConfig({ agents: { mine: { command: process.execPath, args: [agentFile], env } } });
  if (!config.ok) throw new Error(JSON.stringify(config.problems));
  const faults: unknown[] = [];
  const log = (level: string, message: string, facts?: object): void => {
    if (level === "error") faults.push({ message, ...facts });
  };
  const storage = await openSqliteStorage({ file: path.join(folder, "holdfast.db") });
  await prepareStorage?.(storage);
  const host = new Host({
    processPort,
    storage,
    config: config.value,
    stateFolder: folder,
    shellAgent: { command: process.execPath, args: [], version: "0" },
    log,
    timeouts,
    policy,
    redactor,
  });
  const token = "a-token-for-tests";
  const listen = { host: "127.0.0.1", port: 0, ...(allowedOrigins && { allowedOrigins }) };
  const server = await startServer({
    host,
    token,
    listen,
    log,
    meta: storage.meta,
    audit: host.audit,
    graceMs: 0,
    ...(ahp && { ahp }),
    ...(peers && { peers }),
  });
  onTestFinished(async () => {
    await server.close();
    await host.close();
    storage.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return new ServedHost({ host, server, token, work, faults });
}
