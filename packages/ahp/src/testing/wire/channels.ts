// The reference reducers of AHP for each kind of channel.
import type { TerminalPart } from "../../dialects/ahp/terminal.ts";
import type { TerminalAction } from "../../model/terminal/terminal.ts";
import { reduceConversation } from "./conversation.ts";
import {
  fieldsOf,
  listOf,
  seedVersion,
  type ReferenceAction,
  type ReferenceVersion,
  type WireFields,
} from "./reference.ts";

/** A reducer of one kind of channel. */
export type ReferenceReducer = (
  state: WireFields,
  action: ReferenceAction,
  version: ReferenceVersion,
) => WireFields;

/** The root. */
export const reduceWireRoot: ReferenceReducer = (root, action) => {
  switch (action.type) {
    case "root/agentsChanged":
      return { ...root, agents: action["agents"] };
    case "root/activeSessionsChanged":
      return { ...root, activeSessions: action["activeSessions"] };
    case "root/terminalsChanged":
      return { ...root, terminals: action["terminals"] };
    case "root/configChanged":
      return withConfig(root, action);
    default:
      return root;
  }
};

/** A terminal: eleven actions, the same in every version but for the exit. */
export const reduceWireTerminal: ReferenceReducer = (terminal, action, { hasTerminalLifecycle }) => {
  const content = listOf(terminal["content"]);
  switch (action.type) {
    case "terminal/data":
      return { ...terminal, content: appendOutput(content, String(action["data"])) };
    case "terminal/resized":
      return { ...terminal, cols: action["cols"], rows: action["rows"] };
    case "terminal/claimed":
      return { ...terminal, claim: action["claim"] };
    case "terminal/titleChanged":
      return { ...terminal, title: action["title"] };
    case "terminal/cwdChanged":
      return { ...terminal, cwd: action["cwd"] };
    case "terminal/exited": {
      const { exitCode } = action;
      return hasTerminalLifecycle
        ? { ...terminal, lifecycle: { status: "exited", exitCode } }
        : { ...terminal, exitCode };
    }
    case "terminal/cleared":
      return { ...terminal, content: [] };
    case "terminal/commandDetectionAvailable":
      return { ...terminal, supportsCommandDetection: true };
    case "terminal/commandExecuted": {
      const { commandId, commandLine, timestamp } = action;
      const part = { type: "command", commandId, commandLine, output: "", timestamp, isComplete: false };
      return { ...terminal, supportsCommandDetection: true, content: [...content, part] };
    }
    case "terminal/commandFinished": {
      const { commandId, exitCode, durationMs } = action;
      const finish = (part: WireFields): WireFields =>
        part["type"] === "command" && part["commandId"] === commandId
          ? { ...part, isComplete: true, exitCode, durationMs }
          : part;
      return { ...terminal, content: content.map(finish) };
    }
    default:
      return terminal;
  }
};

/** A chat on a separate channel. */
export const reduceWireChat: ReferenceReducer = (chat, action, version) =>
  action.type.startsWith("chat/")
    ? reduceConversation(chat, { ...action, type: action.type.slice("chat/".length) }, version)
    : chat;

/** A session from 0.5 on. */
export const reduceWireSession: ReferenceReducer = (session, action, version) => {
  switch (action.type) {
    case "session/chatAdded":
      return { ...session, chats: upsert(session["chats"], fieldsOf(action["summary"]), "resource") };
    case "session/chatRemoved": {
      const chats = listOf(session["chats"]).filter(({ resource }) => resource !== action["chat"]);
      const isDefault = session["defaultChat"] === action["chat"];
      return { ...session, chats, defaultChat: isDefault ? undefined : session["defaultChat"] };
    }
    case "session/chatUpdated": {
      const change = (chat: WireFields): WireFields =>
        chat["resource"] === action["chat"] ? { ...chat, ...fieldsOf(action["changes"]) } : chat;
      return { ...session, chats: listOf(session["chats"]).map(change) };
    }
    case "session/defaultChatChanged":
      return { ...session, defaultChat: action["defaultChat"] };
    case "session/inputNeededSet": {
      const inputNeeded = upsert(session["inputNeeded"], fieldsOf(action["request"]), "id");
      return { ...session, inputNeeded, status: statusWith(session, inputNeeded, version) };
    }
    case "session/inputNeededRemoved": {
      const known = listOf(session["inputNeeded"]);
      const left = known.filter(({ id }) => id !== action["id"]);
      if (left.length === known.length) return session;
      const status = statusWith(session, left, version);
      return { ...session, inputNeeded: left.length > 0 ? left : undefined, status };
    }
    case "session/activeClientSet":
      return {
        ...session,
        activeClients: upsert(session["activeClients"], fieldsOf(action["activeClient"]), "clientId"),
      };
    case "session/activeClientRemoved": {
      const left = listOf(session["activeClients"]).filter(({ clientId }) => clientId !== action["clientId"]);
      return { ...session, activeClients: left };
    }
    case "session/workingDirectorySet":
      return {
        ...session,
        workingDirectories: [...new Set([...directoriesOf(session), action["directory"]])],
      };
    case "session/workingDirectoryRemoved": {
      const left = directoriesOf(session).filter((directory) => directory !== action["directory"]);
      return { ...session, workingDirectories: left };
    }
    default:
      return reduceSessionDetail(session, action, version);
  }
};

/** A session of the seed, with the chat in it. */
export const reduceSeedSession: ReferenceReducer = (session, action) => {
  const { summary, ...rest } = session;
  const talk = { ...rest, ...fieldsOf(summary) };
  const type = action.type.slice("session/".length);
  switch (action.type) {
    case "session/modelChanged": {
      const changed = { model: action["model"], modifiedAt: seedVersion.now };
      return { ...session, summary: { ...fieldsOf(summary), ...changed } };
    }
    case "session/activeClientChanged":
      return { ...session, activeClient: action["activeClient"] ?? undefined };
    case "session/titleChanged": {
      const changed = { title: action["title"], modifiedAt: seedVersion.now };
      return { ...session, summary: { ...fieldsOf(summary), ...changed } };
    }
    case "session/ready":
    case "session/creationFailed":
    case "session/metaChanged":
      return reduceSessionDetail(session, action, seedVersion);
    case "session/configChanged": {
      const changed = withConfig(session, action);
      if (changed === session) return session;
      return { ...changed, summary: { ...fieldsOf(summary), modifiedAt: seedVersion.now } };
    }
    default:
      return unfold(session, reduceConversation(talk, { ...action, type }, seedVersion));
  }
};

function unfold(session: WireFields, talk: WireFields): WireFields {
  const names = new Set(["status", "activity", "modifiedAt", ...Object.keys(fieldsOf(session["summary"]))]);
  const entries = Object.entries(talk);
  return {
    ...Object.fromEntries(entries.filter(([name]) => !names.has(name))),
    summary: Object.fromEntries(entries.filter(([name]) => names.has(name))),
  };
}

function reduceSessionDetail(
  session: WireFields,
  action: ReferenceAction,
  version: ReferenceVersion,
): WireFields {
  switch (action.type) {
    case "session/ready":
      return { ...session, lifecycle: "ready" };
    case "session/creationFailed":
      return { ...session, lifecycle: version.failedLifecycle, creationError: action["error"] };
    case "session/titleChanged":
      return { ...session, title: action["title"] };
    case "session/isReadChanged":
      return { ...session, status: flagged(session, 32, action["isRead"] === true) };
    case "session/isArchivedChanged":
      return { ...session, status: flagged(session, 64, action["isArchived"] === true) };
    case "session/activityChanged":
      return { ...session, activity: action["activity"] };
    case "session/configChanged":
      return withConfig(session, action);
    case "session/metaChanged":
      return { ...session, _meta: action["_meta"] };
    default:
      return session;
  }
}

function statusWith(
  session: WireFields,
  inputNeeded: readonly WireFields[],
  { asksForClientTools }: ReferenceVersion,
): number {
  const status = Number(session["status"]);
  const isAsking = inputNeeded.some(({ kind }) => asksForClientTools || kind !== "toolClientExecution");
  return isAsking ? (status & ~31) | 24 : status & ~16;
}

function withConfig(state: WireFields, action: ReferenceAction): WireFields {
  if (state["config"] === undefined) return state;
  const config = fieldsOf(state["config"]);
  const given = fieldsOf(action["config"]);
  const values = action["replace"] === true ? given : { ...fieldsOf(config["values"]), ...given };
  return { ...state, config: { ...config, values } };
}

function appendOutput(content: readonly WireFields[], data: string): readonly WireFields[] {
  const last = content.at(-1);
  if (last?.["type"] === "command" && last["isComplete"] === false) {
    return content.with(content.length - 1, { ...last, output: String(last["output"]) + data });
  }
  if (last?.["type"] === "unclassified") {
    return content.with(content.length - 1, { ...last, value: String(last["value"]) + data });
  }
  return [...content, { type: "unclassified", value: data }];
}

function upsert(list: unknown, item: WireFields, key: string): readonly WireFields[] {
  const items = listOf(list);
  const index = items.findIndex((candidate) => candidate[key] === item[key]);
  return index < 0 ? [...items, item] : items.with(index, item);
}

function directoriesOf(session: WireFields): readonly unknown[] {
  return Array.isArray(session["workingDirectories"]) ? session["workingDirectories"] : [];
}

function flagged(state: WireFields, flag: number, isSet: boolean): number {
  const status = Number(state["status"]);
  return isSet ? status | flag : status & ~flag;
}

/** Collects the parts of a terminal. */
export class TerminalScreen {
  readonly #commands = new Set<string>();
  #parts: readonly TerminalPart[] = [];

  /** The parts so far. */
  get parts(): readonly TerminalPart[] {
    return this.#parts;
  }

  /** Whether a command of that id was seen; ids of real commands never come twice. */
  knows(commandId: string): boolean {
    return this.#commands.has(commandId);
  }

  /** Takes an action that the terminal took. */
  take(action: TerminalAction): void {
    switch (action.type) {
      case "terminal/data":
        this.#append(action.data);
        return;
      case "terminal/cleared":
        this.#parts = [];
        return;
      case "terminal/commandExecuted": {
        const { commandId, commandLine, startedAt } = action;
        this.#close({});
        this.#commands.add(commandId);
        this.#parts = [...this.#parts, { kind: "command", commandId, commandLine, text: "", startedAt }];
        return;
      }
      case "terminal/commandFinished":
        this.#close({ exitCode: action.exitCode, durationMs: action.durationMs });
        return;
      case "terminal/exited":
        this.#close({});
        break;
      default:
    }
  }

  #append(text: string): void {
    const last = this.#parts.at(-1);
    const isOpen = last && (last.kind === "output" || !last.end);
    this.#parts = isOpen
      ? [...this.#parts.slice(0, -1), { ...last, text: last.text + text }]
      : [...this.#parts, { kind: "output", text }];
  }

  #close(end: { exitCode?: number; durationMs?: number }): void {
    const index = this.#parts.findLastIndex((part) => part.kind === "command" && !part.end);
    const part = this.#parts[index];
    if (part?.kind === "command") this.#parts = this.#parts.with(index, { ...part, end });
  }
}
