// Reads the parameters of an editor's requests; what does not have ACP's form is an error that names the member.
import path from "node:path";
import { isJsonObject, parseChannelUri, type SessionId } from "@holdfast/ahp";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { type EventPlace, LIMITS, type PermissionDecision } from "@holdfast/protocol";

/** The error for parameters that do not have the form that a method takes. */
export function invalidParams(problem: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, problem, { code: "INVALID_REQUEST" });
}

/** The members of an object; none for anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

/** Parameters as they came; none are the same as an empty object. */
export function requireMembers(params: unknown): unknown {
  if (params === undefined || params === null) return {};
  if (typeof params === "object" && !Array.isArray(params)) return params;
  throw invalidParams("params: expected an object");
}

export function readText(params: unknown, name: string, maxLength: number = LIMITS.cwdLength): string {
  const value = membersOf(params)[name];
  if (typeof value !== "string" || value === "") throw invalidParams(`${name}: expected a string`);
  if (value.length > maxLength) throw invalidParams(`${name}: at most ${maxLength} characters`);
  return value;
}

export function readOptionalText(params: unknown, name: string): string | undefined {
  const value = membersOf(params)[name];
  return value === undefined || value === null ? undefined : readText(params, name);
}

/** A folder, as an absolute path. */
export function readFolder(params: unknown): string {
  const cwd = readText(params, "cwd");
  if (!path.isAbsolute(cwd)) throw invalidParams("cwd: expected an absolute path");
  return cwd;
}

/** The names of the MCP servers that an editor brings along. */
export function readServerNames(params: unknown): string[] {
  const { mcpServers } = membersOf(params);
  if (!Array.isArray(mcpServers)) return [];
  return mcpServers.flatMap((server) => {
    const { name } = membersOf(server);
    return typeof name === "string" ? [name] : [];
  });
}

/** The host's own members of a request, in `_meta.holdfast`. */
export function ownMembers(params: unknown): Readonly<Record<string, unknown>> {
  return membersOf(membersOf(membersOf(params)["_meta"])["holdfast"]);
}

/** The id that an editor chose for its new session, so that a repeated request creates no second one. */
export function readWantedId(params: unknown): SessionId | undefined {
  const { uri } = ownMembers(params);
  const address = typeof uri === "string" ? parseChannelUri(uri) : undefined;
  return address?.kind === "session" ? address.sessionId : undefined;
}

/** How far an editor has come in a session: the last update, and the last byte of each terminal. */
export interface Cursor extends EventPlace {
  readonly terminals: ReadonlyMap<string, TerminalCursor>;
}

/** The last byte of a terminal that an editor has, or that it has seen the exit. */
export type TerminalCursor = number | "exited";

const placePattern = /^\d{1,15}(?:\.[1-9]\d{0,8})?$/;

/** The place after which a session is resumed; undefined when none is given. */
export function readCursor(params: unknown): Cursor | undefined {
  const { after } = ownMembers(params);
  if (after === undefined) return undefined;
  const { place, terminals } = membersOf(after);
  if (typeof place !== "string" || !placePattern.test(place)) {
    throw invalidParams("_meta.holdfast.after.place: expected the place of an update, such as 57 or 57.1");
  }
  const [seq, events] = place.split(".");
  const offsets = Object.entries(membersOf(terminals)).flatMap(([id, offset]) =>
    offset === "exited" || (typeof offset === "number" && Number.isSafeInteger(offset) && offset >= 0)
      ? [[id, offset] as const]
      : [],
  );
  return {
    seq: Number(seq),
    ...(events !== undefined && { events: Number(events) }),
    terminals: new Map(offsets),
  };
}

type FormContent = NonNullable<PermissionDecision["content"]>;

/** The answers of a form; what arrived in a message is JSON. */
export function readContent(value: unknown): FormContent {
  return membersOf(value) as FormContent;
}
