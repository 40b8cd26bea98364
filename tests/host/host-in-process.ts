// A real host in the test's own process: composed as the program composes it, at a fifth of the CPU time of its start.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { Redactor } from "@holdfast/core";
import { startHost } from "../../packages/cli/src/serve/compose.ts";
import { serve } from "../../packages/cli/src/serve/serve.ts";
import { readToken } from "../../packages/cli/src/serve/token.ts";
import { fillUserFolder, hostVariables, writeConfig, type TestedHost } from "./real-host.ts";

/** How a host in the test's own process is started. */
export interface HostInProcessOptions {
  /** Its configuration file. */
  readonly config?: object;
}

/**
 * Starts a host for tests that are about its clients. A test of the program's start, end, signals, memory or process
 * uses `startRealHost`, and so does one that blocks this process while it waits for the host.
 */
export async function startHostInProcess({ config }: HostInProcessOptions = {}): Promise<TestedHost> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-near-"));
  const [home, project] = [path.join(folder, "home"), path.join(folder, "project")];
  for (const each of [home, project]) mkdirSync(each, { mode: 0o700 });
  if (config !== undefined) writeConfig(home, config);
  const leaveUser = enterUser();
  const outcome = await serve(
    { home, port: 0, keeper: false },
    {
      environment: process.env,
      log: () => undefined,
      redactor: new Redactor(),
      startHost,
      onStopRequest: () => undefined,
      atExit: () => undefined,
      onFatal: (error) => {
        throw error;
      },
    },
  );
  if (outcome.kind !== "serving") throw new Error(`Another host serves ${home}`);
  return {
    url: outcome.ready.url,
    token: readToken(home),
    home,
    project,
    async close() {
      await outcome.close("end");
      leaveUser();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A user with the tests' agents, whose login shell is asked for its environment once in this process. */
let userFolder: string | undefined;
let hosts = 0;
let restoreVariables = (): void => undefined;

/** Makes this process one of that user, until every host has left. */
function enterUser(): () => void {
  if (userFolder === undefined) {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-user-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    fillUserFolder(folder);
    userFolder = folder;
  }
  if (hosts === 0) restoreVariables = setVariables({ ...hostVariables, HOME: userFolder });
  hosts += 1;
  return () => {
    hosts -= 1;
    if (hosts === 0) restoreVariables();
  };
}

/** Sets variables of this process; the result gives them the values they had. */
function setVariables(variables: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return () => void setVariables(before);
}
