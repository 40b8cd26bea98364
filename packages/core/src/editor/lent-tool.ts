// A tool that a client lends to agents: how it is read from the client's description, and its bounds.
import {
  type ActiveClient,
  type ClientId,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@holdfast/ahp";

/** A tool of a client that is active in a session. */
export interface LentTool {
  /** The client's own name for it. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
  readonly clientId: ClientId;
  /** The client, as people read it. */
  readonly clientName: string;
}

/** The most tools of one client, and of one session. */
export const maxTools = 256;
const maxToolBytes = 64 * 1024;
const maxToolsBytes = 1024 * 1024;
export const maxInputBytes = 256 * 1024;
const maxResultBytes = 2 * 1024 * 1024;

/** MCP and the models behind it take no other names. */
const namePattern = /^[A-Za-z0-9_.-]{1,64}$/;
const maxTitleChars = 120;

/** Why a client cannot lend these tools; undefined when it can (E823). */
export function lentToolsProblem(tools: readonly JsonValue[]): string | undefined {
  if (tools.length > maxTools) return `A client lends at most ${maxTools} tools.`;
  const sizes = tools.map(sizeOf);
  const large = sizes.findIndex((sizeBytes) => sizeBytes > maxToolBytes);
  if (large !== -1) {
    return `The definition of a tool has at most ${maxToolBytes} bytes; tools[${large}] has ${sizes[large]}.`;
  }
  const totalBytes = sizes.reduce((sum, sizeBytes) => sum + sizeBytes, 0);
  return totalBytes > maxToolsBytes
    ? `The definitions of a client's tools have at most ${maxToolsBytes} bytes together; these have ${totalBytes}.`
    : undefined;
}

/** Why a client's result is not taken; undefined when it is (E823). */
export function lentResultProblem(result: object): string | undefined {
  const sizeBytes = sizeOf(result);
  return sizeBytes > maxResultBytes
    ? `The result of a tool has at most ${maxResultBytes} bytes; this has ${sizeBytes}. Send less of it.`
    : undefined;
}

/** The size of a value as JSON. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** The tools of a client that agents can be offered; of two with one name the first (N821). */
export function readLentTools(client: ActiveClient): LentTool[] {
  const tools = new Map<string, LentTool>();
  for (const described of client.tools) {
    const tool = readLentTool(described, client);
    if (tool !== undefined && !tools.has(tool.name)) tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

/** The tools that agents cannot be offered, each with its reason (E834). */
export function unofferedTools(tools: readonly JsonValue[]): string[] {
  const names = new Set<string>();
  return tools.flatMap((described, index) => {
    const { problem, name = "" } = readTool(described);
    const isTaken = problem === undefined && names.has(name);
    names.add(name);
    if (isTaken) return [`tools[${index}]: there is another tool with the name ${name}.`];
    return problem === undefined ? [] : [`tools[${index}]${problem}`];
  });
}

interface ReadTool {
  readonly name?: string;
  readonly inputSchema?: JsonObject;
  /** Why it cannot be offered. */
  readonly problem?: string;
}

function readTool(described: JsonValue): ReadTool {
  if (!isJsonObject(described)) return { problem: ": must be an object." };
  const { name, inputSchema = { type: "object" } } = described;
  if (typeof name !== "string") return { problem: ".name: must be a string." };
  if (!namePattern.test(name)) {
    const shown = JSON.stringify(oneLine(name.slice(0, 64)));
    return { problem: `.name: must have 1–64 letters, digits, '_', '-' or '.'; it is ${shown}.` };
  }
  if (!isJsonObject(inputSchema) || inputSchema["type"] !== "object") {
    return { problem: ".inputSchema: must have the type object." };
  }
  return { name, inputSchema };
}

function readLentTool(described: JsonValue, client: ActiveClient): LentTool | undefined {
  const { name, inputSchema } = readTool(described);
  if (name === undefined || inputSchema === undefined || !isJsonObject(described)) return undefined;
  const { title, description } = described;
  return {
    name,
    ...(typeof title === "string" && title !== "" && { title: oneLine(title) }),
    ...(typeof description === "string" && { description }),
    inputSchema,
    clientId: client.clientId,
    clientName: oneLine(client.displayName ?? client.clientId),
  };
}

/** A client's text beside a question for people: no line of it can pass for one of the host's. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").slice(0, maxTitleChars);
}
