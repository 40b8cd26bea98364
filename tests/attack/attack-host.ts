// A real host with the hostile agent: opens sessions, plays attacks, answers questions and reads the audit.
import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readFrames } from "../host/event-reader.ts";
import { giveTo, startRealHost, type RealHost, type RealHostOptions } from "../host/real-host.ts";
import { testedProgram } from "../setup/tested-program.ts";
import type { HostileStep, StepOutcome } from "./hostile-step.ts";

const run = promisify(execFile);

/** A question of the host, as a stream carries it. */
export interface AskedQuestion {
  readonly requestId: string;
  readonly target: string;
  readonly [member: string]: unknown;
}

/** The outcomes of an attack. */
export interface Attack {
  readonly outcomes: readonly StepOutcome[];
  readonly questions: readonly AskedQuestion[];
}

/** The answer to every question of an attack; undefined denies, and `later` leaves it to the test. */
export type Decide = (
  question: AskedQuestion,
) => "allow_once" | "allow_always" | "reject_once" | "later" | undefined;

const agentFile = fileURLToPath(new URL("hostile-agent.mjs", import.meta.url));

/** A host under attack. */
export class AttackHost {
  #host: RealHost;
  readonly #uid: number | undefined;

  private constructor(host: RealHost, uid: number | undefined) {
    this.#host = host;
    this.#uid = uid;
  }

  get host(): RealHost {
    return this.#host;
  }

  /** Starts the program with the hostile agent as `hostile`. */
  static async start(config: object = {}, options: RealHostOptions = {}): Promise<AttackHost> {
    const hostile = { command: process.execPath, args: [agentFile] };
    const host = await startRealHost({ ...options, config: { agents: { hostile }, ...config } });
    return new AttackHost(host, options.uid);
  }

  /** Runs `change`, and gives the host's user what it made in the project: the tests may run as root. */
  prepare<T>(change: () => T): T {
    const result = change();
    if (this.#uid !== undefined) giveTo(this.host.project, this.#uid);
    return result;
  }

  close(): Promise<void> {
    return this.host.close();
  }

  /** Kills the host and starts the next one in its home. */
  async restart(): Promise<void> {
    this.#host = await this.host.restart();
  }

  /** Runs the program as the host's user, with this home. */
  async holdfast(...args: string[]): Promise<{ readonly code: number; readonly output: string }> {
    const env = { ...process.env, HOME: path.join(path.dirname(this.host.home), "user") };
    const identity = this.#uid === undefined ? {} : { uid: this.#uid, gid: this.#uid };
    const words = [testedProgram, ...args, "--home", this.host.home];
    try {
      const { stdout } = await run(process.execPath, words, { env, ...identity });
      return { code: 0, output: stdout };
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return { code, output: stderr };
    }
  }

  /** Sends a request with the owner's token, or with other credentials. */
  async call(
    method: string,
    route: string,
    body?: object,
    headers: Readonly<Record<string, string>> = { "x-api-key": this.host.token },
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    const response = await fetch(`${this.host.url}${route}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** Opens a session of the hostile agent; gives its key. */
  async open(options: object = {}): Promise<string> {
    const wish = { agent_id: "hostile", cwd: this.host.project, ...options };
    const { body, status } = await this.call("POST", "/sdk/acp/session", wish);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return (body["session"] as { session_key: string }).session_key;
  }

  /** Has the agent play the steps in one turn, and decides what is asked meanwhile. */
  async play(key: string, steps: readonly HostileStep[], decide: Decide = () => undefined): Promise<Attack> {
    const route = `/sdk/acp/session/${encodeURIComponent(key)}`;
    const response = await fetch(`${this.host.url}${route}/chat/stream`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": this.host.token },
      body: JSON.stringify({ message: JSON.stringify(steps) }),
    });
    let text = "";
    const questions: AskedQuestion[] = [];
    for await (const frame of readFrames(response)) {
      const event = readEvent(frame.text);
      if (event?.type === "text_delta") text += String(event.data["text"]);
      if (event?.type !== "permission_request") continue;
      const { requestId, target } = event.data;
      const question = { ...event.data, requestId: String(requestId), target: String(target) };
      questions.push(question);
      const decision = decide(question) ?? "reject_once";
      if (decision !== "later") await this.decide(key, question.requestId, decision);
    }
    if (text === "") throw new Error("The turn ended without the agent's outcomes");
    return { outcomes: JSON.parse(text) as StepOutcome[], questions };
  }

  /** Decides an open question. */
  async decide(key: string, requestId: string, optionId: string): Promise<void> {
    const decision = { requestId, optionId };
    await this.call("POST", `/sdk/acp/session/${encodeURIComponent(key)}/permission`, decision);
  }

  /** The questions of a session that nobody has answered. */
  async openQuestions(key: string): Promise<Record<string, unknown>[]> {
    const { body } = await this.call("GET", "/sdk/acp/approvals");
    const all = body["approvals"] as Record<string, unknown>[];
    return all.filter((each) => JSON.stringify(each).includes(key));
  }

  /** The audit of a session or of all, of one kind or of all. */
  async audit(key: string | undefined, what?: string): Promise<Record<string, unknown>[]> {
    const query = new URLSearchParams({ limit: "1000" });
    if (key !== undefined) query.set("session", key);
    if (what !== undefined) query.set("what", what);
    const { body } = await this.call("GET", `/admin/audit?${query.toString()}`);
    return body["entries"] as Record<string, unknown>[];
  }

  /** Those entries of the audit that record a denial. */
  async denials(key: string | undefined, what?: string): Promise<Record<string, unknown>[]> {
    return (await this.audit(key, what)).filter((entry) => entry["decision"] === "denied");
  }

  /** The isolation of a session, as its status has it. */
  async isolationOf(key: string): Promise<Record<string, unknown>> {
    const { body } = await this.call("GET", `/sdk/acp/session/${encodeURIComponent(key)}`);
    return (body["session"] as { isolation: Record<string, unknown> }).isolation;
  }
}

function readEvent(
  frame: string,
): { readonly type: string; readonly data: Record<string, unknown> } | undefined {
  const type = /^event: (.*)$/m.exec(frame)?.[1];
  const data = /^data: (.*)$/m.exec(frame)?.[1];
  if (type === undefined || data === undefined) return undefined;
  return { type, data: JSON.parse(data) as Record<string, unknown> };
}
