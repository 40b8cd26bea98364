// JSON-RPC messages as the bridge sees them: who they are for, and the host's own members in `_meta`.

type Members = Readonly<Record<string, unknown>>;

/** A message with its text, which is passed on as it came where nothing is added. */
export interface Message {
  readonly text: string;
  readonly id: unknown;
  readonly method: string | undefined;
  readonly params: Members;
  readonly result: Members;
  readonly hasError: boolean;
}

/** Members of an object; none for anything else. */
export function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** Reads a message; undefined for what is no JSON object. */
export function readMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The caller answers it.
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { id, method, params, result, error } = membersOf(value);
  return {
    text,
    id,
    method: typeof method === "string" ? method : undefined,
    params: membersOf(params),
    result: membersOf(result),
    hasError: error !== undefined,
  };
}

/** A key for an id: 1 and "1" are two. */
export function keyOf(id: unknown): string {
  return JSON.stringify(id) ?? "";
}

/** The host's own members of parameters, a result or a notification. */
export function ownMembers(members: Members): Members {
  return membersOf(membersOf(members["_meta"])["holdfast"]);
}

/** A request or a notification with members of the host's own added to its parameters. */
export function withOwnMembers({ id, method, params }: Message, own: Members): string {
  const meta = membersOf(params["_meta"]);
  const holdfast = { ...membersOf(meta["holdfast"]), ...own };
  return formatMessage({ id, method, params: { ...params, _meta: { ...meta, holdfast } } });
}

export function formatMessage(message: object): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

export function formatError(id: unknown, code: number, message: string, data?: object): string {
  return formatMessage({ id: id ?? null, error: { code, message, ...(data && { data }) } });
}
