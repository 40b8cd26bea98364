// The events of a turn's stream with the field names that clients read, and the frames of event streams.
import { z } from "zod";
import { remedySchema } from "./envelope.ts";

const textDeltaSchema = z.object({
  type: z.literal("text_delta"),
  data: z.object({
    text: z.string(),
    stream: z.enum(["output", "thought"]),
    type: z.literal("thinking").optional().describe("On thoughts, for clients that look here."),
    tag: z.enum(["agent_message_chunk", "agent_thought_chunk"]).optional(),
    messageId: z.string().optional(),
    repeatsToolCall: z
      .string()
      .optional()
      .describe("The tool call whose output the message only repeats, as its agent marked it."),
  }),
});

const toolCallSchema = z.object({
  type: z.literal("tool_call"),
  data: z.object({
    text: z.string().describe("One line for people: title, status and a summary."),
    title: z.string(),
    toolCallId: z.string(),
    status: z.enum(["running", "completed", "failed"]),
    tag: z.enum(["tool_call", "tool_call_update"]).optional(),
    kind: z.string().optional(),
    locations: z.array(z.object({ path: z.string(), line: z.int().nullable().optional() })).optional(),
    rawInput: z.unknown().optional(),
    rawOutput: z.unknown().optional(),
    content: z
      .array(z.unknown())
      .optional()
      .describe(
        "ACP content blocks. Once the call has ended, those of type terminal have output, truncated and, after the exit, exitStatus; its limit is the one that stopped the command.",
      ),
  }),
});

const statusSchema = z.object({
  type: z.literal("status"),
  data: z.object({
    text: z.string(),
    tag: z.string().describe("The kind of status: usage_update, plan, context_lost, …"),
    used: z.number().optional(),
    size: z.number().optional(),
    cost: z.unknown().optional(),
    breakdown: z.unknown().optional(),
    entries: z.array(z.unknown()).optional(),
    availableCommands: z.array(z.unknown()).optional(),
    update: z.unknown().optional().describe("The agent's own update, where no member above holds it."),
    turnId: z.string().optional().describe("On turn_started, where a session's turns follow one another."),
    startedAt: z.iso.datetime({ offset: true }).optional().describe("On turn_started."),
  }),
});

const permissionOptionSchema = z
  .object({
    optionId: z.string(),
    id: z.string().describe("The same as optionId."),
    name: z.string(),
    label: z.string().describe("The same as name."),
    kind: z.string().describe("allow_once, allow_always, reject_once, reject_always."),
    agentName: z.string().optional().describe("The agent's own name for it, which may say anything."),
  })
  .meta({ id: "PermissionOption", description: "One answer that the agent offers." });

/** An option of a permission request, under the names of every client. */
export type PermissionOption = z.infer<typeof permissionOptionSchema>;

const subjectFileSchema = z.object({
  path: z.string().describe("Absolute, links followed."),
  link: z.string().optional().describe("The path as the agent named it, where that is another."),
  diff: z
    .object({
      line: z.int(),
      before: z.string(),
      after: z.string(),
      omittedChars: z.int().optional(),
    })
    .readonly()
    .optional(),
});

const subjectFilesSchema = z.array(subjectFileSchema.readonly()).readonly();

export const approvalSubjectSchema = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("command"),
      line: z.string().optional().describe("Absent where the agent does not say what it will run."),
      program: z.string().optional().describe("The program that the line leads to."),
      args: z.array(z.string()).readonly().optional(),
      cwd: z.string(),
      environment: z
        .array(z.object({ name: z.string(), value: z.string().optional() }).readonly())
        .readonly()
        .describe("The variables by which its environment differs from the usual one."),
      run: z.enum(["text", "tty"]).optional(),
      isolation: z.string().optional(),
    }),
    z.object({ kind: z.literal("write"), files: subjectFilesSchema }),
    z.object({ kind: z.literal("read"), files: subjectFilesSchema }),
    z.object({ kind: z.literal("other") }),
  ])
  .meta({ id: "ApprovalSubject", description: "What exactly would happen; a decision covers nothing else." });

export const permissionRequestDataSchema = z.object({
  requestId: z.string(),
  action: z.string(),
  target: z.string().describe("The command line or the paths; else what the agent calls it."),
  options: z.array(permissionOptionSchema),
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
  toolCallId: z.string().optional(),
  kind: z.string().optional(),
  title: z.string().optional(),
  rawInput: z.unknown().optional(),
  subject: approvalSubjectSchema.optional(),
  source: z
    .enum(["host", "agent"])
    .optional()
    .describe("host: the host runs it and enforces the decision. agent: the agent runs it and reports it."),
  agentTitle: z.string().optional().describe("The agent's words for it, which may say anything."),
});

const permissionRequestSchema = z.object({
  type: z.literal("permission_request"),
  data: permissionRequestDataSchema,
});

const doneSchema = z.object({
  type: z.literal("done"),
  data: z.object({ stopReason: z.string(), usage: z.unknown().optional() }),
});

const errorSchema = z.object({
  type: z.literal("error"),
  data: z.object({
    message: z.string(),
    code: z.string(),
    retryable: z.boolean().optional(),
    detailCode: z.string().optional().describe("A finer code, such as sign_in_needed."),
    remedy: remedySchema.optional(),
  }),
});

const closeSchema = z.object({ type: z.literal("close"), data: z.object({ success: z.boolean() }) });

export const turnEventSchema = z
  .discriminatedUnion("type", [
    textDeltaSchema,
    toolCallSchema,
    statusSchema,
    permissionRequestSchema,
    doneSchema,
    errorSchema,
    closeSchema,
  ])
  .meta({
    id: "TurnEvent",
    description: "One event of a turn: `type` is the event line, `data` the data line.",
  });

/** One event of a turn's stream; `close` is always the last. */
export type TurnEvent = z.infer<typeof turnEventSchema>;

/** The name of an event. */
export type TurnEventType = TurnEvent["type"];

/** One kind of event by its name. */
export type TurnEventOf<Type extends TurnEventType> = Extract<TurnEvent, { type: Type }>;

/** A piece of the agent's text; a thought is marked in both ways that clients look for. */
export function textDelta(
  text: string,
  stream: "output" | "thought",
  messageId?: string,
  repeatsToolCall?: string,
): TurnEventOf<"text_delta"> {
  const data: TurnEventOf<"text_delta">["data"] =
    stream === "thought"
      ? { text, stream, type: "thinking", tag: "agent_thought_chunk" }
      : { text, stream, tag: "agent_message_chunk" };
  if (messageId !== undefined) data.messageId = messageId;
  if (repeatsToolCall !== undefined) data.repeatsToolCall = repeatsToolCall;
  return { type: "text_delta", data };
}

/** An option of a permission request under the names of every client. */
export function permissionOption(option: {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
  readonly agentName?: string | undefined;
}): PermissionOption {
  const { optionId, name, kind, agentName } = option;
  const own = agentName === undefined ? {} : { agentName };
  return { optionId, id: optionId, name, label: name, kind, ...own };
}

interface StreamEvent {
  readonly type: string;
  readonly data: unknown;
}

/** The content type of an event stream. */
export const EVENT_STREAM_TYPE = "text/event-stream";

/** A comment that keeps a silent stream open; every client skips it. */
export const HEARTBEAT = ": heartbeat\n\n";

// JSON leaves these bare, and line readers such as Python's splitlines end a line at them.
const bareLineEnd = /[\u0085\u2028\u2029]/;
const bareLineEnds = new RegExp(bareLineEnd, "g");
const lineEnd = /[\n\r\0]/;

/**
 * Writes one event as a frame: `id:` first, then `event:` directly before its one `data:` line, then a blank line.
 * The id is what a client sends back as `Last-Event-ID`; it must be one line.
 */
export function formatEvent(event: StreamEvent, id?: string): string {
  const frame = `event: ${event.type}\ndata: ${formatData(event.data)}\n\n`;
  if (id === undefined) return frame;
  if (lineEnd.test(id)) throw new TypeError(`An event's id must be one line, not ${JSON.stringify(id)}`);
  return `id: ${id}\n${frame}`;
}

function formatData(data: unknown): string {
  const json = JSON.stringify(data);
  // Nearly every event has none, and asking is cheaper than replacing nothing.
  if (!bareLineEnd.test(json)) return json;
  return json.replaceAll(bareLineEnds, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
