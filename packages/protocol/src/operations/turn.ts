// Operations on turns: a message to the agent with one response or a stream, and its cancellation.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { turnEventSchema } from "../events.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { eventIdSchema, readAs } from "../request.ts";
import { sessionParamsSchema } from "./session.ts";

const visible = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.idempotencyKeyLength}}$`);
const dataUri = /^data:[^,]*;base64,/;

const attachmentSchema = z
  .object({
    contentString: z.string().regex(dataUri, "must be a data URI in base64: data:<mime>;base64,<data>"),
    mime: z.string().min(1),
  })
  .meta({ id: "Attachment", description: "A file that goes with a message." });

/** A file that goes with a message, as a data URI. */
export type Attachment = z.infer<typeof attachmentSchema>;

const chatRequestSchema = z
  .object({
    message: z.string(),
    attachments: z.array(attachmentSchema).max(LIMITS.attachments).optional(),
    queue: z
      .boolean()
      .optional()
      .describe("Whether to wait behind the running turn instead of being refused with ACP_TURN_ACTIVE."),
    onContextLost: z
      .enum(["continue", "fail"])
      .optional()
      .describe(
        "What to do when the agent restarts without its context: continue and report it, or fail the turn.",
      ),
  })
  .refine(({ message, attachments = [] }) => message !== "" || attachments.length > 0, {
    path: ["message"],
    error: "must not be empty",
  })
  .meta({ id: "ChatRequest", description: "A message to the agent." });

/** A message to the agent. */
export type ChatRequest = z.infer<typeof chatRequestSchema>;

const deniedActionSchema = z
  .object({
    action: z.string(),
    target: z.string(),
    toolCallId: z.string().optional(),
    kind: z.string().optional(),
    title: z.string().optional(),
  })
  .meta({ id: "DeniedAction", description: "What the agent wanted to do and nobody could be asked about." });

/** An action that the agent wanted to take and that nobody could be asked about. */
export type DeniedAction = z.infer<typeof deniedActionSchema>;

const chatResponseSchema = z
  .object({
    text: z.string(),
    stop_reason: z.string().optional(),
    truncated: z
      .boolean()
      .optional()
      .describe(
        "True when the beginning of the text is left out, because it is longer than acp.turnTextMebibytes; the events of turn_id have all of it.",
      ),
    turn_id: z.string().optional().describe("The turn, where its text is truncated."),
    denied: z.array(deniedActionSchema).optional(),
    usage: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The tokens that the turn used, where the agent reports them."),
  })
  .meta({ id: "ChatResponse", description: "The whole of a finished turn." });

/** The whole of a finished turn. */
export type ChatResponse = z.infer<typeof chatResponseSchema>;

const repeatHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(visible, `must be 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters`)
    .optional()
    .describe(
      "A name for the message: a message that is sent again with it joins the same turn instead of starting another.",
    ),
});

const chatBody = readAs(chatRequestSchema, { spellings: {}, nullIsAbsent: true });

export const chat = defineOperation({
  name: "chat",
  method: "POST",
  path: "/sdk/acp/session/{key}/chat",
  summary: "Run a turn and return all of it",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: chatBody,
  headers: repeatHeaders,
  stream: false,
  response: successSchema({ response: chatResponseSchema }),
  errors: [
    "ACP_SESSION_NOT_FOUND",
    "IDEMPOTENCY_CONFLICT",
    "APPROVAL_POLICY_REQUIRED",
    "ACP_TURN_ACTIVE",
    "ACP_QUEUE_FULL",
    "ACP_ATTACHMENT_NOT_SUPPORTED",
    "ACP_ATTACHMENT_NOT_STORED",
    "ACP_SESSION_INIT_FAILED",
    "ACP_TURN_FAILED",
    "ACP_AGENT_EXITED",
    "ACP_TURN_TIMEOUT",
    "ACP_CONTEXT_LOST",
    "INVALID_JSON",
    "BODY_TOO_LARGE",
  ],
});

// An error after the stream has begun is an `error` event.
export const streamChat = defineOperation({
  name: "streamChat",
  method: "POST",
  path: "/sdk/acp/session/{key}/chat/stream",
  summary: "Run a turn and stream its events",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: chatBody,
  headers: repeatHeaders,
  stream: true,
  response: turnEventSchema,
  errors: [
    "ACP_SESSION_NOT_FOUND",
    "IDEMPOTENCY_CONFLICT",
    "ACP_TURN_ACTIVE",
    "ACP_QUEUE_FULL",
    "ACP_ATTACHMENT_NOT_SUPPORTED",
    "ACP_SESSION_INIT_FAILED",
    "INVALID_JSON",
    "BODY_TOO_LARGE",
  ],
});

// A turn's stream that broke off resumes here, with the same bytes.
export const streamEvents = defineOperation({
  name: "streamEvents",
  method: "GET",
  path: "/sdk/acp/session/{key}/events",
  summary: "Stream a session's events after an event, with those of the running turn",
  permission: "acp.agent",
  params: sessionParamsSchema,
  query: z.object({
    after: eventIdSchema().optional().describe("The id of the last event received."),
    turn: z.string().min(1).max(200).optional().describe("Only this turn; the stream ends with it."),
  }),
  headers: z.object({
    "last-event-id": eventIdSchema().optional().describe("The same as after; it wins."),
  }),
  stream: true,
  response: turnEventSchema,
  errors: ["ACP_SESSION_NOT_FOUND", "NOT_FOUND", "EVENTS_LOST"],
});

const cancellationSchema = readAs(
  z.object({
    reason: z.string().max(LIMITS.reasonLength).optional(),
    turnId: z
      .string()
      .min(1)
      .max(LIMITS.turnNameLength)
      .optional()
      .describe("The turn, running or queued; without it, the running turn. Queued messages of others stay."),
  }),
  { spellings: { turn_id: "turnId" }, nullIsAbsent: true },
);

/** The body of a cancellation. */
export type TurnCancellation = z.output<typeof cancellationSchema>;

export const cancelTurn = defineOperation({
  name: "cancelTurn",
  method: "POST",
  path: "/sdk/acp/session/{key}/cancel",
  summary: "Cancel the running turn, or one that is queued",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: cancellationSchema,
  bodyOptional: true,
  stream: false,
  response: successSchema({}),
  errors: ["ACP_SESSION_NOT_FOUND", "INVALID_JSON", "BODY_TOO_LARGE"],
});
