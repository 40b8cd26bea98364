// Operations on turns: a message to the agent, answered at once or as a stream, and its cancelling.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { turnEventSchema } from "../events.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { wholeNumberSchema } from "../query.ts";
import { readAs } from "../spelling.ts";
import { reasonSchema, sessionParamsSchema } from "./session.ts";

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
        "What to do when the agent comes back without its memory: go on and say so, or fail the turn.",
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

/** What the agent wanted to do and nobody could be asked about. */
export type DeniedAction = z.infer<typeof deniedActionSchema>;

const chatResponseSchema = z
  .object({
    text: z.string(),
    stop_reason: z.string().optional(),
    denied: z.array(deniedActionSchema).optional(),
  })
  .meta({ id: "ChatResponse", description: "The whole of a finished turn." });

/** The whole of a finished turn. */
export type ChatResponse = z.infer<typeof chatResponseSchema>;

const repeatHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(visible, `must be 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters`)
    .optional()
    .describe("A name for the message: sent again under it, it is the same turn and not another one."),
});

const chatBody = readAs(chatRequestSchema, { spellings: {}, nullIsAbsent: true });

/** `POST /sdk/acp/session/:key/chat`. */
export const chat = defineOperation({
  name: "chat",
  method: "POST",
  path: "/sdk/acp/session/{key}/chat",
  summary: "Run a turn and answer with the whole of it",
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
    "ACP_SESSION_INIT_FAILED",
    "ACP_TURN_FAILED",
    "ACP_AGENT_EXITED",
    "ACP_TURN_TIMEOUT",
    "ACP_CONTEXT_LOST",
    "INVALID_JSON",
    "BODY_TOO_LARGE",
  ],
});

/** `POST /sdk/acp/session/:key/chat/stream`; what fails once the stream has begun is an `error` event. */
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

/** `GET /sdk/acp/session/:key/events`; a turn's stream that broke off is taken up here, and gives the same bytes. */
export const streamEvents = defineOperation({
  name: "streamEvents",
  method: "GET",
  path: "/sdk/acp/session/{key}/events",
  summary: "Stream what happened in a session since an event, and the turn that runs",
  permission: "acp.agent",
  params: sessionParamsSchema,
  query: z.object({
    after: wholeNumberSchema().optional().describe("The id of the last event that is known already."),
    turn: z.string().min(1).max(200).optional().describe("The only turn wanted; the stream ends with it."),
  }),
  headers: z.object({
    "last-event-id": wholeNumberSchema().optional().describe("The same as after; it wins."),
  }),
  stream: true,
  response: turnEventSchema,
  errors: ["ACP_SESSION_NOT_FOUND", "NOT_FOUND", "EVENTS_LOST"],
});

/** `POST /sdk/acp/session/:key/cancel`. */
export const cancelTurn = defineOperation({
  name: "cancelTurn",
  method: "POST",
  path: "/sdk/acp/session/{key}/cancel",
  summary: "Cancel the running turn",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: reasonSchema,
  bodyOptional: true,
  stream: false,
  response: successSchema({}),
  errors: ["ACP_SESSION_NOT_FOUND", "INVALID_JSON", "BODY_TOO_LARGE"],
});
