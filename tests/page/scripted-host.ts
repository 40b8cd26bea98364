// A real host whose agent is a process that follows a script.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { AgentRecord } from "../../packages/core/src/testing/agent-record.ts";
import type { Script } from "../../packages/core/src/testing/script.ts";
import { startHostInProcess, type HostInProcessOptions } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { composer, fillNewSession } from "./page-walk.ts";

const agentFile = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));

/** A host with one scripted agent. */
export interface ScriptedHost {
  readonly host: TestedHost;
  /** Messages and responses that the agent received. */
  readonly heard: AgentRecord;
  /** Creates the file that the agent waits for. */
  pass(gate: string): void;
  close(): Promise<void>;
}

/** Settings of the host, and of the agent beside its program. */
interface ScriptedHostOptions extends HostInProcessOptions {
  readonly agent?: object;
}

/** Starts a host whose agent `Painter` follows the script. */
export async function startScriptedHost(
  script: Script,
  { agent, ...options }: ScriptedHostOptions = {},
): Promise<ScriptedHost> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-script-"));
  const recordFile = path.join(folder, "painter.ndjson");
  const scriptFile = path.join(folder, "script.json");
  writeFileSync(scriptFile, JSON.stringify([script]));
  const env = { FAKE_AGENT_SCRIPT: scriptFile, FAKE_AGENT_RECORD: recordFile };
  const painter = { command: process.execPath, args: [agentFile], env, label: "Painter", ...agent };
  const host = await startHostInProcess({ ...options, config: { ...options.config, agents: { painter } } });
  return {
    host,
    heard: new AgentRecord(recordFile),
    pass: (gate) => writeFileSync(path.join(folder, gate), ""),
    async close() {
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Opens a session with the scripted agent by the dialog. */
export async function openPainterSession(
  page: Page,
  folder: string,
  choose: (dialog: Locator) => Promise<void> = async () => {},
): Promise<void> {
  const dialog = await fillNewSession(page, /Painter/, folder);
  await choose(dialog);
  await dialog.getByRole("button", { name: "Open session" }).click();
  await composer(page).waitFor();
}
