// A real host in a separate process, with agents that follow a test's script.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Holdfast } from "@holdfast/sdk";
import { ProgramRun } from "./program-run.ts";

const agentFile = fileURLToPath(new URL("../../../core/src/testing/fake-agent.mjs", import.meta.url));

/** Script of an agent for each prompt, in the language of the fake agent. */
export interface AgentScript {
  readonly capabilities?: object;
  readonly ignoresCancel?: boolean;
  readonly authMethods?: readonly object[];
  readonly signInFile?: string;
  readonly prompts: Readonly<Record<string, readonly object[]>>;
}

/** A host that serves until it is closed. */
export class ScriptedHost {
  readonly home: string;
  /** A folder to work in; the steps `until` wait for files in it. */
  readonly folder: string;
  readonly api: Holdfast;
  readonly #run: ProgramRun;

  private constructor(home: string, folder: string, run: ProgramRun, place: { url: string; token: string }) {
    this.home = home;
    this.folder = folder;
    this.#run = run;
    this.api = new Holdfast({ baseUrl: place.url, apiKey: place.token });
  }

  /** Starts a host in a folder; its agent `scripted` plays the script, and the rules are its policy file. */
  static async start(parent: string, script: AgentScript, rules?: string): Promise<ScriptedHost> {
    const [home, folder] = [path.join(parent, "home"), path.join(parent, "work")];
    for (const each of [home, folder]) mkdirSync(each, { mode: 0o700 });
    const scriptFile = path.join(parent, "script.json");
    writeFileSync(scriptFile, JSON.stringify([script]));
    const env = { FAKE_AGENT_SCRIPT: scriptFile, FAKE_AGENT_RECORD: path.join(folder, "record") };
    const scripted = { command: process.execPath, args: [agentFile], env };
    const config = { listen: { port: 0 }, agents: { scripted } };
    writeFileSync(path.join(home, "config.jsonc"), JSON.stringify(config), { mode: 0o600 });
    if (rules !== undefined) writeFileSync(path.join(home, "policy.jsonc"), rules, { mode: 0o600 });
    const run = new ProgramRun(["serve", "--json", "--home", home], { program: "main" });
    return new ScriptedHost(home, folder, run, await run.ready());
  }

  /** Messages and responses that the agents received, one entry a line. */
  get record(): string {
    return readFileSync(path.join(this.folder, "record"), "utf8");
  }

  /** Ends the wait of a step `until`. */
  open(gate: string): void {
    writeFileSync(path.join(this.folder, gate), "");
  }

  async close(): Promise<void> {
    await this.#run.stop();
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    await this.#run.stop("SIGKILL");
  }
}

/** A piece of the answer. */
export function say(text: string): object {
  return { do: "say", text };
}

/** A `session/update` of any kind. */
export function update(sessionUpdate: string, fields: object): object {
  return { do: "update", update: { sessionUpdate, ...fields } };
}

/** A request for permission to run a command. */
export function askToRun(as: string, command: string, cwd = "/tmp"): object {
  const toolCall = { toolCallId: as, title: command, kind: "execute", rawInput: { command, cwd } };
  const options = [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "always", name: "Always", kind: "allow_always" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ];
  return { do: "ask", as, method: "session/request_permission", params: { toolCall, options } };
}

/** The end of a turn. */
export function stop(stopReason: string): object {
  return { do: "answer", result: { stopReason } };
}
