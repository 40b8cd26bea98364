// What the agent answers to each request.
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { readClientCapabilities } from "./acp/client-capabilities.ts";
import { invalidParams, readAbsolutePath, readOneOf, readParams, readString } from "./acp/params.ts";
import { listAvailableCommands } from "./command/catalogue.ts";
import { readSessionQuery } from "./session/session-page.ts";
import { MODES, OUTPUT_OPTION_ID, OUTPUT_SETTINGS } from "./session/settings.ts";
import { textBlock } from "./acp/content.ts";
import { readPrompt } from "./turn/prompt.ts";
import { VERSION } from "./version.ts";
import type { RequestContext, RequestHandlers } from "@holdfast/jsonrpc";
import type { AgentMethods, InitializeResult, SessionSettings } from "./acp/agent-methods.ts";
import type { SessionUpdate } from "./acp/session-update.ts";
import type { Client } from "./client.ts";
import type { Session } from "./session/session.ts";
import type { Sessions } from "./session/sessions.ts";
import type { Turns } from "./turns.ts";

/** What the handlers work with. */
export interface HandlerOptions {
  /** Not there yet when the handlers are made: it needs the connection that needs them. */
  readonly client: () => Client;
  readonly sessions: Sessions;
  readonly turns: Turns;
}

/** Makes the handlers of all requests that ACP v1 makes of this agent. */
export function makeRequestHandlers({
  client,
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
      announceCommands(client(), session);
      return { sessionId: session.id, ...session.settings };
    },
    "session/load": async (params, context) => {
      const session = await reopen(params);
      await replay(client(), session, context);
      return openSettings(client(), session);
    },
    "session/resume": async (params) => openSettings(client(), await reopen(params)),
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
      client().tell(session.id, { sessionUpdate: "current_mode_update", currentModeId: session.mode });
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
      return turns.run({ session, client: client(), onProgress }, readPrompt(readParams(params)), signal);
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
      _meta: { holdfast: { keepsSessions } },
    },
    authMethods: [],
  };
}

function openSettings(client: Client, session: Session): SessionSettings {
  announceCommands(client, session);
  return session.settings;
}

/** Tells of the slash commands once the answer that names the session is out (S11). */
function announceCommands(client: Client, session: Session): void {
  setImmediate(() => {
    const availableCommands = listAvailableCommands();
    client.tell(session.id, { sessionUpdate: "available_commands_update", availableCommands });
  });
}

/** Tells the whole history again, as fast as the client reads (S18). */
async function replay(client: Client, session: Session, { signal }: RequestContext): Promise<void> {
  const { dropped, updates } = session.history;
  const all: SessionUpdate[] = [...updates];
  if (dropped > 0) {
    const content = textBlock(`The oldest ${dropped} entries of this session are no longer kept.`);
    all.unshift({ sessionUpdate: "agent_thought_chunk", messageId: `dropped-${session.id}`, content });
  }
  for (const update of all) {
    if (!client.tell(session.id, update)) await client.drained(signal);
  }
}
