// The URIs of channels: the ones we mint, and how to read them back.
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";
import {
  makeId,
  type ChatId,
  type ChatUri,
  type SessionId,
  type SessionUri,
  type TerminalId,
  type TerminalUri,
} from "./ids.ts";

/** The URI of the one root channel. */
export const ROOT_URI = "ahp-root://";

/** The kinds of things that the host's URIs name. */
export type ChannelAddress =
  | { readonly kind: "root" }
  | { readonly kind: "session"; readonly sessionId: SessionId }
  | { readonly kind: "chat"; readonly chatId: ChatId }
  | { readonly kind: "default-chat"; readonly session: SessionUri }
  | { readonly kind: "terminal"; readonly terminalId: TerminalId };

const sessionPrefix = "ahp-session:/";
const chatPrefix = "ahp-chat:/";
const defaultChatPrefix = "ahp-chat://default/";
const terminalPrefix = "ahp-terminal:/";
/** A terminal in AHP 0.1. */
export const seedTerminalPrefix = "agenthost:/terminal/";

/** The URI of a session whose agent is not known, or cannot be the scheme of a URI. */
export function sessionUri(id: SessionId): SessionUri {
  return makeId("session URI", sessionPrefix + encodeURIComponent(id));
}

/** Schemes of others: a session there would be taken for a file, a page or a channel of AHP. */
const foreignSchemes = /^(?:file|https?|wss?|data|blob|agenthost|ahp-.*|x-.*|vscode.*)$/;

/**
 * The URI of a session that the host creates, `<provider>:/<id>`.
 * VS Code lists only sessions whose scheme is their agent's.
 */
export function agentSessionUri(provider: string, id: SessionId): SessionUri {
  const isScheme = /^[a-z][a-z0-9+.-]*$/.test(provider) && !foreignSchemes.test(provider);
  return isScheme ? makeId("session URI", `${provider}:/${encodeURIComponent(id)}`) : sessionUri(id);
}

/** The id in a session's URI of either form; `undefined` when a client chose another one. */
export function sessionIdIn(uri: string, provider: string): SessionId | undefined {
  const address = parseChannelUri(uri);
  if (address !== undefined) return address.kind === "session" ? address.sessionId : undefined;
  const id = idAfter(`${provider}:/`, uri);
  return id === undefined ? undefined : makeId("session", id);
}

/** The URI the host gives to a chat that is not a session's first. */
export function chatUri(id: ChatId): ChatUri {
  return makeId("chat URI", chatPrefix + encodeURIComponent(id));
}

/**
 * The URI of a session's first chat.
 * Editors compute exactly this string from the session's URI instead of reading it from the state.
 */
export function defaultChatUri(session: SessionUri): ChatUri {
  return makeId("chat URI", defaultChatPrefix + encodeBase64Url(session));
}

/** The URI the host gives to a terminal that it creates itself. */
export function terminalUri(id: TerminalId): TerminalUri {
  return makeId("terminal URI", terminalPrefix + encodeURIComponent(id));
}

const uriPattern = /^[a-z][a-z0-9+.-]*:.+$/i;

/**
 * Whether a client may choose a URI for a terminal. Its scheme is the client's own, such as `agenthost-terminal:`;
 * those of AHP are for what AHP says.
 */
export function mayNameTerminal(uri: string): boolean {
  if (!uriPattern.test(uri)) return false;
  if (/^ahp-/i.test(uri)) return idAfter(terminalPrefix, uri) !== undefined;
  return !/^agenthost:/i.test(uri) || idAfter(seedTerminalPrefix, uri) !== undefined;
}

/**
 * Reads a URI that one of the functions above made.
 * Clients may choose other URIs for their sessions and terminals: those give `undefined` and are looked up whole.
 */
export function parseChannelUri(uri: string): ChannelAddress | undefined {
  if (uri === ROOT_URI) return { kind: "root" };
  if (uri.startsWith(defaultChatPrefix)) {
    const session = decodeBase64Url(uri.slice(defaultChatPrefix.length));
    return session ? { kind: "default-chat", session: makeId("session URI", session) } : undefined;
  }
  const sessionId = idAfter(sessionPrefix, uri);
  if (sessionId) return { kind: "session", sessionId: makeId("session", sessionId) };
  const chatId = idAfter(chatPrefix, uri);
  if (chatId) return { kind: "chat", chatId: makeId("chat", chatId) };
  const terminalId = idAfter(terminalPrefix, uri);
  return terminalId ? { kind: "terminal", terminalId: makeId("terminal", terminalId) } : undefined;
}

function idAfter(prefix: string, uri: string): string | undefined {
  const encoded = uri.startsWith(prefix) ? uri.slice(prefix.length) : "";
  if (encoded === "" || encoded.includes("/")) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    // A stray percent sign: no URI of ours, so there is no id in it.
    return undefined;
  }
}
