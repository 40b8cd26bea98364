// The URIs under which the host serves the two texts of a file edit that a tool call shows.
import { decodeBase64Url, encodeBase64Url } from "../../model/base64url.ts";
import { makeId, type ChatUri, type ToolCallId, type TurnId } from "../../model/ids.ts";

/** A tool call, in its place. */
export interface ToolCallPlace {
  readonly chat: ChatUri;
  readonly turnId: TurnId;
  readonly toolCallId: ToolCallId;
}

/** One of the two texts of an edit; `index` counts the items of the tool call's content. */
export interface EditAddress extends ToolCallPlace {
  readonly index: number;
  readonly side: "before" | "after";
}

/** Schemes of our own begin with `x-`, as AHP asks since 0.8. */
const prefix = "x-holdfast-edit:/";

/** The URI of a text. */
export function editUri({ chat, turnId, toolCallId, index, side }: EditAddress): string {
  const names = [chat, turnId, toolCallId].map(encodeBase64Url);
  return `${prefix}${names.join("/")}/${index}/${side}`;
}

/** Reads such a URI back; `undefined` when it is none of ours. */
export function parseEditUri(uri: string): EditAddress | undefined {
  if (!uri.startsWith(prefix)) return undefined;
  const [chat, turnId, toolCallId, index, side, ...rest] = uri.slice(prefix.length).split("/");
  const names = [chat, turnId, toolCallId].map((name) => decodeBase64Url(name ?? ""));
  const [chatName, turnName, callName] = names;
  if (!chatName || !turnName || !callName || rest.length > 0) return undefined;
  if (index === undefined || !/^\d{1,6}$/.test(index) || (side !== "before" && side !== "after")) {
    return undefined;
  }
  return {
    chat: makeId("chat URI", chatName),
    turnId: makeId("turn", turnName),
    toolCallId: makeId("tool call", callName),
    index: Number(index),
    side,
  };
}
