// URIs of files, and of the two texts of a file edit that a tool call shows.
import { decodeBase64Url, encodeBase64Url } from "../../model/base64url.ts";
import { makeId, type ChatUri, type ToolCallId, type TurnId } from "../../model/ids.ts";

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

/** AHP reserves `x-` for schemes of implementations since 0.8. */
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

/** A path as a URI; what is a URI already stays as it is. */
export function fileUri(path: string): string {
  if (/^[a-z][a-z\d+.-]+:/i.test(path)) return path;
  const slashed = path.replaceAll("\\", "/");
  const rooted = slashed.startsWith("/") ? slashed : `/${slashed}`;
  return `file://${rooted.split("/").map(encodeSegment).join("/")}`;
}

/** The colon of a drive letter stays, as URIs of Windows paths have it. */
function encodeSegment(segment: string): string {
  return /^[a-z]:$/i.test(segment) ? segment : encodeURIComponent(segment);
}
