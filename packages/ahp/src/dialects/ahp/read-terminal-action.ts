// The actions on a terminal, and claims, that clients write, in the model's terms.
import type { ChatUri, ClientId, SessionUri, ToolCallId, TurnId } from "../../model/ids.ts";
import { id, number, object, oneOf, optional, text, type Shape } from "../../model/shape.ts";
import type { TerminalAction } from "../../model/terminal/terminal-actions.ts";
import type { TerminalClaim } from "../../model/terminal/terminal.ts";
import { defaultChatUri } from "../../model/uri.ts";
import { reader, type ActionReader } from "./action-reader.ts";

/** A claim as a client writes it; before 0.9 it names no chat. */
export interface WrittenClaim {
  readonly kind: "client" | "session";
  readonly clientId?: ClientId;
  readonly session?: SessionUri;
  readonly chat?: ChatUri;
  readonly turnId?: TurnId;
  readonly toolCallId?: ToolCallId;
}

/** The shape of a claim. */
export const writtenClaimShape: Shape<WrittenClaim> = object<WrittenClaim>({
  kind: oneOf("client", "session"),
  clientId: optional(id("client")),
  session: optional(id("session URI")),
  chat: optional(id("chat URI")),
  turnId: optional(id("turn")),
  toolCallId: optional(id("tool call")),
});

/** A claim in the model's terms; a session that names no chat means its default one (E6). */
export function readClaim({
  kind,
  clientId,
  session,
  chat,
  turnId,
  toolCallId,
}: WrittenClaim): TerminalClaim | string {
  if (kind === "client") {
    return clientId === undefined ? "The claim names no client." : { kind, clientId };
  }
  if (session === undefined) return "The claim names no session.";
  return {
    kind,
    session,
    chat: chat ?? defaultChatUri(session),
    ...(turnId !== undefined && { turnId }),
    ...(toolCallId !== undefined && { toolCallId }),
  };
}

/** A reader for each type; what the host vouches for is filled in when it judges. */
export const terminalActionReaders: { readonly [type: string]: ActionReader<unknown, TerminalAction> } = {
  "terminal/input": reader(object({ data: text }), ({ data }) => ({ type: "terminal/input", data })),
  "terminal/resized": reader(object({ cols: number, rows: number }), ({ cols, rows }) => ({
    type: "terminal/resized",
    cols,
    rows,
  })),
  "terminal/claimed": reader(object({ claim: writtenClaimShape }), ({ claim: written }) => {
    const claim = readClaim(written);
    return typeof claim === "string" ? claim : { type: "terminal/claimed", claim };
  }),
  "terminal/titleChanged": reader(object({ title: text }), ({ title }) => ({
    type: "terminal/titleChanged",
    title,
    source: "person",
  })),
  "terminal/cleared": reader(object({}), () => ({ type: "terminal/cleared", offset: 0 })),
};
