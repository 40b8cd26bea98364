// The built program with a real agent and a scripted model: one session, followed over the SDK and over AHP.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Holdfast } from "@holdfast/sdk";
import { freePort, startRealHost, type RealHost } from "../host/real-host.ts";
import { ChatViewer } from "./chat-viewer.ts";
import { FollowedTurn } from "./followed-turn.ts";
import { ModelServer } from "./model/model-server.ts";
import { markPrompt, type ModelStep } from "./model/script.ts";
import type { RealAgent } from "./real-agents.ts";

/** A host, its agent's session, and clients that follow it; all survive a restart of the host. */
export class AgentHost {
  readonly model: ModelServer;
  readonly sdk: Holdfast;
  readonly sessionKey: string;
  readonly viewer: ChatViewer;
  readonly #agent: RealAgent;
  #host: RealHost;
  #prompts = 0;

  private constructor(
    agent: RealAgent,
    host: RealHost,
    parts: Pick<AgentHost, "model" | "sdk" | "sessionKey" | "viewer">,
  ) {
    this.#agent = agent;
    this.model = parts.model;
    this.sdk = parts.sdk;
    this.sessionKey = parts.sessionKey;
    this.viewer = parts.viewer;
    this.#host = host;
  }

  static async start(agent: RealAgent): Promise<AgentHost> {
    const model = await ModelServer.start();
    const config = { agents: { [agent.handle]: agent.entry(model.url) } };
    // After a restart it is found at the same address.
    const host = await startRealHost({ config, port: await freePort(), keeper: true });
    const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token, retry: { attempts: 30 } });
    const session = await sdk.acpAgent.createSession({ agent_id: agent.handle, cwd: host.project });
    const viewer = await ChatViewer.open(host, session.session_key);
    return new AgentHost(agent, host, { model, sdk, sessionKey: session.session_key, viewer });
  }

  /** Sends a prompt that the model replies to with these steps. */
  prompt(name: string, steps: readonly ModelStep[]): FollowedTurn & { readonly prompt: string } {
    this.#prompts += 1;
    const prompt = `${name}-${this.#prompts}`;
    this.model.play(prompt, steps);
    const stream = this.sdk.acpAgent.streamChat(this.sessionKey, `${markPrompt(prompt)} Go ahead.`);
    return Object.assign(new FollowedTurn(stream), { prompt });
  }

  /** Decides a permission request over plain HTTP. */
  async decide(requestId: string, optionId: string): Promise<unknown> {
    const key = encodeURIComponent(this.sessionKey);
    const response = await fetch(`${this.#host.url}/sdk/acp/session/${key}/permission`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": this.#host.token },
      body: JSON.stringify({ requestId, optionId }),
    });
    return response.json();
  }

  /** The absolute path of a file in the session's folder. */
  file(name: string): string {
    return path.join(this.#host.project, name);
  }

  /** The content of a file in the session's folder; undefined if there is none. */
  read(name: string): string | undefined {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), "utf8") : undefined;
  }

  write(name: string, text: string): void {
    writeFileSync(this.file(name), text);
  }

  /** Kills the agent's processes: those that run its program and know this model. */
  killAgent(): void {
    const { command, args } = this.#agent.entry(this.model.url);
    const program = args.find((each) => path.isAbsolute(each)) ?? command;
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const own = pids.filter(
      (pid) =>
        readProcess(pid, "cmdline").includes(program) && readProcess(pid, "environ").includes(this.model.url),
    );
    if (own.length === 0) throw new Error(`No process runs ${program}`);
    for (const pid of own) process.kill(Number(pid), "SIGKILL");
  }

  /** Kills the host without a word; `restart` starts the next one. */
  kill(): Promise<void> {
    return this.#host.kill();
  }

  /** Ends the host by a signal, if it still runs, and starts the next one in the same home. */
  async restart(signal: NodeJS.Signals): Promise<void> {
    this.#host = await this.#host.restart(signal);
  }

  async close(): Promise<void> {
    this.viewer.close();
    await this.#host.close();
    await this.model.close();
  }
}

function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It has ended since.
    return "";
  }
}

/** A promise that a test settles, for the model to wait for. */
export function makeGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
