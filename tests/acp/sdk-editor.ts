// An editor on the official ACP SDK: it collects updates, and answers permission requests as a test says.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { testedProgram } from "../setup/tested-program.ts";
import { EditorTerminals } from "./editor-terminals.ts";
import { waiting } from "../setup/waiting.ts";

type Update = acp.SessionUpdate;
type PermissionRequest = acp.RequestPermissionRequest;

/** A permission request that waits at the editor. */
export interface AskedPermission {
  readonly request: PermissionRequest;
  /** Aborts when the request is withdrawn. */
  readonly signal: AbortSignal;
  answer(outcome: acp.RequestPermissionOutcome): void;
  /** Chooses the option that allows it this once. */
  approve(): void;
}

/** Capabilities that the editor announces. */
const capabilities = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {} },
} as const;

export class SdkEditor {
  readonly connection: acp.ClientConnection;
  /** Each update with its session and the host's own members. */
  readonly updates: { readonly sessionId: string; readonly update: Update; readonly own: Own }[] = [];
  readonly asked: AskedPermission[] = [];
  readonly forms: acp.CreateElicitationRequest[] = [];
  /** Files as they are in the editor, saved or not, by path. */
  readonly files = new Map<string, string>();
  /** Commands that it runs itself. */
  readonly terminals = new EditorTerminals();
  /** The answer to every form. */
  formAnswer: acp.CreateElicitationResponse = { action: "decline" };

  constructor(stream: acp.Stream) {
    const { methods } = acp;
    this.connection = acp
      .client({ name: "sdk-editor" })
      .onNotification(methods.client.session.update, ({ params }) => {
        const { sessionId, update, _meta: meta } = params;
        this.updates.push({ sessionId, update, own: meta?.["holdfast"] ?? {} });
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => this.#ask(params, signal))
      .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
        const content = this.files.get(path);
        if (content === undefined) throw acp.RequestError.resourceNotFound(path);
        return { content };
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
        if (path.endsWith(".locked")) throw new acp.RequestError(-32603, "The buffer is locked");
        this.files.set(path, content);
        return {};
      })
      .onRequest(methods.client.terminal.create, ({ params }) => this.terminals.create(params))
      .onRequest(methods.client.terminal.output, ({ params }) => this.terminals.output(params))
      .onRequest(methods.client.terminal.waitForExit, ({ params }) => this.terminals.waitForExit(params))
      .onRequest(methods.client.terminal.kill, ({ params }) => this.terminals.kill(params))
      .onRequest(methods.client.terminal.release, ({ params }) => this.terminals.release(params))
      .onRequest(methods.client.elicitation.create, ({ params }) => {
        this.forms.push(params);
        return this.formAnswer;
      })
      .connect(stream);
    onTestFinished(() => {
      this.close();
      this.terminals.close();
    });
  }

  get agent(): acp.ClientConnection["agent"] {
    return this.connection.agent;
  }

  close(): void {
    this.connection.close();
  }

  /** Introduces the editor: with or without terminals, and under a name that it had before. */
  initialize(terminals = true, clientId?: string, more: object = {}): Promise<acp.InitializeResponse> {
    return this.agent.request("initialize", {
      _meta: { holdfast: { clientId } },
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: { name: "sdk-editor", version: "1" },
      clientCapabilities: { ...capabilities, ...more, _meta: { terminal_output: terminals } },
    });
  }

  newSession(cwd: string): Promise<acp.NewSessionResponse> {
    return this.agent.request("session/new", { cwd, mcpServers: [] });
  }

  prompt(sessionId: string, text: string): Promise<acp.PromptResponse> {
    return this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify("session/cancel", { sessionId });
  }

  /** The agent's answer so far. */
  get text(): string {
    return this.#textOf("agent_message_chunk");
  }

  /** Messages of other clients. */
  get userText(): string {
    return this.#textOf("user_message_chunk");
  }

  /** Output of terminals so far, by `_meta`. */
  get terminalText(): string {
    return this.metas.map(({ terminal_output: output }) => output?.data ?? "").join("");
  }

  get metas(): readonly TerminalMeta[] {
    return this.updates.map(({ update }) => (update._meta ?? {}) as TerminalMeta);
  }

  kinds(kind: Update["sessionUpdate"]): Update[] {
    return this.updates.map(({ update }) => update).filter(({ sessionUpdate }) => sessionUpdate === kind);
  }

  async permission(count = 1): Promise<AskedPermission> {
    return vi.waitFor(() => {
      const asked = this.asked[count - 1];
      if (asked === undefined) throw new Error("no permission was asked for yet");
      return asked;
    }, waiting);
  }

  #ask(request: PermissionRequest, signal: AbortSignal): Promise<acp.RequestPermissionResponse> {
    return new Promise((resolve) => {
      const answer = (outcome: acp.RequestPermissionOutcome): void => resolve({ outcome });
      const { optionId = "" } = request.options.find(({ kind }) => kind === "allow_once") ?? {};
      const approve = (): void => answer({ outcome: "selected", optionId });
      this.asked.push({ request, signal, answer, approve });
      signal.addEventListener("abort", () => answer({ outcome: "cancelled" }), { once: true });
    });
  }

  #textOf(kind: Update["sessionUpdate"]): string {
    return this.updates
      .map(({ update }) => update)
      .map((update) => (update.sessionUpdate === kind && "content" in update ? textOf(update.content) : ""))
      .join("");
  }
}

function textOf(content: unknown): string {
  const { type, text } = content as { type?: string; text?: string };
  return type === "text" ? (text ?? "") : "";
}

interface Own {
  readonly place?: string;
  readonly terminal?: string;
  readonly offset?: number | "exited";
}

export interface TerminalMeta {
  readonly terminal_info?: { readonly terminal_id: string };
  readonly terminal_output?: { readonly terminal_id: string; readonly data: string };
  readonly terminal_exit?: { readonly terminal_id: string; readonly exit_code: number | null };
}

interface Place {
  readonly url: string;
  readonly token: string;
}

/** An editor on a WebSocket. */
export function overWebSocket({ url, token }: Place, query = ""): SdkEditor {
  const address = `${url.replace(/^http/, "ws")}/acp${query}`;
  return new SdkEditor(
    createWebSocketStream(address, { WebSocket, headers: { authorization: `Bearer ${token}` } }),
  );
}

/** An editor over streamable HTTP. */
export function overHttp({ url, token }: Place, query = ""): SdkEditor {
  return new SdkEditor(
    createHttpStream(`${url}/acp${query}`, { headers: { authorization: `Bearer ${token}` } }),
  );
}

/** An editor that starts `holdfast acp`. */
export function overStdio(
  home: string,
  args: readonly string[] = [],
): SdkEditor & { readonly stderr: () => string } {
  const child = spawn(process.execPath, [testedProgram, "acp", "--home", home, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env },
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
    await exited;
    clearTimeout(timer);
  });
  const input = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>;
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  return Object.assign(new SdkEditor(acp.ndJsonStream(input, output)), { stderr: () => stderr });
}
