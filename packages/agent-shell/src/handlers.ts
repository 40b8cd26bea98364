// Handlers of the client's requests.
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { readClientCapabilities } from "./acp/client-methods.ts";
import { invalidParams, readAbsolutePath, readOneOf, readParams, readString } from "./acp/params.ts";
import { readSessionQuery, type Sessions } from "./session/sessions.ts";
import { MODES, OUTPUT_OPTION_ID, OUTPUT_SETTINGS, type Session } from "./session/session.ts";
import { type SessionUpdate, textBlock } from "./acp/session-update.ts";
import { readPrompt } from "./turn/prompt.ts";
import { VERSION } from "./version.ts";
import type { RequestContext, RequestHandlers } from "@holdfast/jsonrpc";
import type { AgentMethods, InitializeResult, SessionSettings } from "./acp/agent-methods.ts";
import type { Client } from "./client.ts";
import type { SlashCommands } from "./command/catalogue.ts";
import type { Turns } from "./turn/run-turn.ts";

export interface HandlerOptions {
  /** Not there yet when the handlers are made: it needs the connection that needs them. */
  readonly client: () => Client;
  readonly commands: SlashCommands;
  readonly sessions: Sessions;
  readonly turns: Turns;
}

/** Makes the handlers of all requests that ACP v1 makes of this agent. */
export function makeRequestHandlers({
  client,
  commands,
  sessions,
  turns,
}: HandlerOptions): RequestHandlers<AgentMethods> {
  const readOpen = (params: unknown): Session => sessions.get(readString(readParams(params), "sessionId"));
  const reopen = async (params: unknown): Promise<Session> => {
    requireHandshake(client());
    const fields = readParams(params);
    return sessions.reopen(readString(fields, "sessionId"), readAbsolutePath(fields, "cwd"));
  };
  return {
    initialize: (params) => {
      const fields = readParams(params);
      if (typeof fields["protocolVersion"] !== "number") throw invalidParams("protocolVersion", "a number");
      client().capabilities = readClientCapabilities(fields);
      return describeAgent(sessions.outliveProcess);
    },
    "session/new": (params) => {
      requireHandshake(client());
      const session = sessions.create(readAbsolutePath(readParams(params), "cwd"));
      announceCommands(client(), session, commands);
      return { sessionId: session.id, ...session.settings };
    },
    "session/load": async (params, context) => {
      const session = await reopen(params);
      await replay(client(), session, context);
      return openSettings(client(), session, commands);
    },
    "session/resume": async (params) => openSettings(client(), await reopen(params), commands),
    "session/list": (params) => sessions.list(readSessionQuery(readParams(params ?? {}))),
    "session/close": async (params) => {
      const session = readOpen(params);
      await turns.cancel(session.id);
      sessions.close(session);
      return {};
    },
    "session/set_mode": (params) => {
      const session = readOpen(params);
      session.mode = readOneOf(readParams(params), "modeId", MODES);
      sessions.save(session);
      client().send(session.id, { sessionUpdate: "current_mode_update", currentModeId: session.mode });
      return {};
    },
    "session/set_config_option": (params) => {
      const session = readOpen(params);
      readOneOf(readParams(params), "configId", [OUTPUT_OPTION_ID]);
      session.output = readOneOf(readParams(params), "value", OUTPUT_SETTINGS);
      sessions.save(session);
      return { configOptions: session.settings.configOptions };
    },
    "session/prompt": (params, { signal }) => {
      const session = readOpen(params);
      const onProgress = (): void => {
        sessions.save(session);
      };
      return turns.run(
        { session, client: client(), commands, onProgress },
        readPrompt(readParams(params)),
        signal,
      );
    },
  };
}

function requireHandshake(client: Client): void {
  if (client.capabilities !== undefined) return;
  throw new RpcError(ErrorCode.invalidRequest, "initialize comes first");
}

/** Whatever version the client would like, this agent speaks 1 (S1). */
function describeAgent(keepsSessions: boolean): InitializeResult {
  return {
    protocolVersion: 1,
    agentInfo: { name: "holdfast-shell", title: "Holdfast shell", version: VERSION },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: false, audio: false, embeddedContext: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
      // Its text is not read but run: a client that puts other words into a message should know.
      _meta: { holdfast: { keepsSessions, runsMessages: true } },
    },
    authMethods: [],
  };
}

function openSettings(client: Client, session: Session, commands: SlashCommands): SessionSettings {
  announceCommands(client, session, commands);
  return session.settings;
}

/** Sends the slash commands after the response that names the session (S11). */
function announceCommands(client: Client, session: Session, { available }: SlashCommands): void {
  setImmediate(() => {
    client.send(session.id, { sessionUpdate: "available_commands_update", availableCommands: available });
  });
}

/** Replays the whole history, as fast as the client reads (S18). */
async function replay(client: Client, session: Session, { signal }: RequestContext): Promise<void> {
  const { dropped, updates } = session.history;
  const all: SessionUpdate[] = [...updates];
  if (dropped > 0) {
    const content = textBlock(`The oldest ${dropped} entries of this session are no longer kept.`);
    all.unshift({ sessionUpdate: "agent_thought_chunk", messageId: `dropped-${session.id}`, content });
  }
  for (const update of all) {
    if (!client.send(session.id, update)) await client.drained(signal);
  }
}
