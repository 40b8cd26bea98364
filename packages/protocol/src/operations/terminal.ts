// Terminals of the app API: their schemas, the events of their streams, and their operations.
import type { TerminalExit, TerminalLifecycle, TerminalSize, TerminalState } from "@holdfast/ahp";
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import type { ErrorCode } from "../errors.ts";
import { commandLimitsSchema, limitFiredSchema } from "../command-limits.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { flagSchema, wholeNumberSchema } from "../request.ts";

const terminalExitSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("code"), exitCode: z.int(), limit: limitFiredSchema.optional() }),
    z.object({ kind: z.literal("signal"), signal: z.string(), limit: limitFiredSchema.optional() }),
    z.object({
      kind: z.literal("unknown"),
      reason: z.string().describe("Why the exit is unknown, such as a restart of the host."),
    }),
  ])
  .meta({ id: "TerminalExit", description: "How a program ended." }) satisfies z.ZodType<TerminalExit>;

const terminalLifecycleSchema = z
  .discriminatedUnion("status", [
    z.object({ status: z.literal("running") }),
    z.object({
      status: z.literal("exited"),
      exitedAt: z.iso.datetime({ offset: true }),
      exit: terminalExitSchema,
    }),
  ])
  .meta({
    id: "TerminalLifecycle",
    description: "Whether a terminal's program runs.",
  }) satisfies z.ZodType<TerminalLifecycle>;

const sizeShape = { cols: z.int(), rows: z.int() };

const terminalSizeSchema = z.object(sizeShape).meta({
  id: "TerminalSize",
  description: "The size of a terminal's screen in characters.",
}) satisfies z.ZodType<TerminalSize>;

const terminalHolderSchema = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("client"),
      clientId: z.string(),
      isGone: z.boolean().describe("Whether it is not connected: then any client may claim the terminal."),
    }),
    z.object({
      kind: z.literal("session"),
      inTurn: z.boolean().describe("Whether a turn uses it; else it is background work."),
    }),
  ])
  .meta({ id: "TerminalHolder", description: "Who holds a terminal." });

const terminalStatusSchema = z
  .object({
    id: z.string(),
    session_key: z.string().nullable().describe("The session that holds it; null when a person does."),
    made_by: z.string().optional().describe("The session whose agent made it, also while a person holds it."),
    title: z.string(),
    run: z
      .enum(["text", "tty", "display"])
      .describe("Merged pipes, a pseudo-terminal, or run by the agent itself and only shown."),
    lifecycle: terminalLifecycleSchema,
    leftovers: z
      .object({
        count: z.int(),
        processes: z.array(z.object({ pid: z.int(), command: z.string() })).describe("The first eight."),
      })
      .optional()
      .describe("Processes that outlived the command. Killing the terminal ends them."),
    holder: terminalHolderSchema,
    startedAt: z.iso.datetime({ offset: true }).optional(),
    cwd: z.string().optional().describe("The folder that its program is in."),
    size: terminalSizeSchema.optional(),
    output: z.object({
      endOffset: z.int().describe("The bytes written so far."),
      skippedBytes: z.int().describe("The bytes at the front that are no longer kept."),
    }),
  })
  .meta({ id: "TerminalStatus", description: "One terminal as the list shows it." }) satisfies z.ZodType<
  Pick<TerminalState, "title" | "run" | "lifecycle" | "leftovers" | "startedAt" | "cwd" | "size">
>;

/** One terminal as the list shows it. */
export type TerminalStatus = z.infer<typeof terminalStatusSchema>;

const terminalTextSchema = z
  .object({
    text: z.string(),
    truncated: z.boolean().describe("Whether something before it was left out."),
    endOffset: z.int(),
    lifecycle: terminalLifecycleSchema,
  })
  .meta({ id: "TerminalText", description: "What a terminal shows, escape sequences removed." });

/** A terminal's output as text. */
export type TerminalText = z.infer<typeof terminalTextSchema>;

const offset = z.int().describe("In bytes from the start of the terminal's output.");

const terminalEventSchema = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("output"),
      data: z.object({
        offset,
        bytes: z.base64(),
        stream: z
          .literal("error")
          .optional()
          .describe("Present on stderr of a command with `separateError`; otherwise these bytes are stdout."),
      }),
    }),
    z.object({
      type: z.literal("skipped"),
      data: z.object({ offset: z.int().describe("The offset of the next output."), skippedBytes: z.int() }),
    }),
    z.object({ type: z.literal("resized"), data: z.object(sizeShape) }),
    z.object({ type: z.literal("exited"), data: z.object({ exit: terminalExitSchema, endOffset: z.int() }) }),
    z.object({ type: z.literal("error"), data: z.object({ message: z.string(), code: z.string() }) }),
    z.object({ type: z.literal("close"), data: z.object({ success: z.boolean() }) }),
  ])
  .meta({
    id: "TerminalEvent",
    description: "One event of a terminal: `type` is the event line, `data` the data line.",
  });

/** One event of a terminal's stream as it is on the wire; `close` is the last. */
export type TerminalEvent = z.infer<typeof terminalEventSchema>;

/** One kind of a terminal's events by its name. */
export type TerminalEventOf<Type extends TerminalEvent["type"]> = Extract<TerminalEvent, { type: Type }>;

const terminalParamsSchema = z.object({ id: z.string() });

const sideSchema = z.int().min(1).max(LIMITS.terminalSide);

const newTerminalSchema = z
  .object({
    command: z
      .string()
      .min(1)
      .max(LIMITS.commandLength)
      .describe("A program; without args it may be a line for the shell."),
    args: z.array(z.string().max(LIMITS.commandLength)).max(LIMITS.commandArguments).optional(),
    cwd: z
      .string()
      .min(1)
      .max(LIMITS.cwdLength)
      .optional()
      .describe("An absolute path; the home folder if left out."),
    env: z
      .record(z.string(), z.string())
      .optional()
      .describe("Variables beside those of the owner's login shell."),
    kind: z
      .enum(["tty", "text"])
      .describe("tty: with a screen and a keyboard. text: stdout and stderr on one pipe, byte for byte."),
    cols: sideSchema.optional(),
    rows: sideSchema.optional(),
    name: z
      .string()
      .min(1)
      .max(LIMITS.labelLength)
      .optional()
      .describe("A title that the program cannot replace."),
    input: z
      .boolean()
      .optional()
      .describe("Whether a text command gets input; without it, there is none to read. A tty always does."),
    separateError: z
      .boolean()
      .optional()
      .describe(
        "Whether a text command gets a separate pipe for stderr. The order between the streams is lost.",
      ),
    paced: z
      .boolean()
      .optional()
      .describe(
        "Whether a text command waits for clients that follow it with paced=true, so that no byte is skipped.",
      ),
    limits: commandLimitsSchema.optional().describe("Limits of this command beside those of the host."),
  })
  .meta({ id: "NewTerminal", description: "A command to be run in a terminal." });

/** A command to be run in a terminal. */
export type NewTerminalRequest = z.infer<typeof newTerminalSchema>;

// Its program keeps running while no client follows it.
export const createTerminal = defineOperation({
  name: "createTerminal",
  method: "POST",
  path: "/sdk/acp/terminals",
  summary: "Run a command in a new terminal; nobody is asked, so only the owner can do this",
  permission: "admin",
  body: newTerminalSchema,
  stream: false,
  response: successSchema({ terminal: terminalStatusSchema }),
  errors: [
    "COMMAND_NOT_FOUND",
    "COMMAND_NOT_EXECUTABLE",
    "TOO_MANY_TERMINALS",
    "INVALID_JSON",
    "BODY_TOO_LARGE",
  ],
});

export const listTerminals = defineOperation({
  name: "listTerminals",
  method: "GET",
  path: "/sdk/acp/terminals",
  summary: "List the terminals of the caller's sessions; of one session also those that are finished",
  permission: "terminal",
  query: z.object({
    session: z.string().min(1).optional().describe("Only terminals of the session with this key."),
  }),
  stream: false,
  response: successSchema({ terminals: z.array(terminalStatusSchema) }),
  errors: ["ACP_SESSION_NOT_FOUND"],
});

export const readTerminal = defineOperation({
  name: "readTerminal",
  method: "GET",
  path: "/sdk/acp/terminals/{id}/output",
  summary: "Read a terminal's newest output as text",
  permission: "terminal",
  params: terminalParamsSchema,
  query: z.object({
    limitBytes: wholeNumberSchema(LIMITS.terminalTextBytes)
      .optional()
      .describe("The maximum size, from the end."),
  }),
  stream: false,
  response: successSchema({ output: terminalTextSchema }),
  errors: ["TERMINAL_NOT_FOUND"],
});

// The id of an event is the offset after it.
export const streamTerminal = defineOperation({
  name: "streamTerminal",
  method: "GET",
  path: "/sdk/acp/terminals/{id}/stream",
  summary: "Follow a terminal's bytes from an offset, or from the first byte that is kept",
  permission: "terminal",
  params: terminalParamsSchema,
  query: z.object({
    after: wholeNumberSchema().optional().describe("The offset of the first byte to send."),
    paced: flagSchema().describe("Whether a paced command waits for this follower; others wait for nobody."),
  }),
  headers: z.object({ "last-event-id": wholeNumberSchema().optional().describe("The same; it wins.") }),
  stream: true,
  response: terminalEventSchema,
  errors: ["TERMINAL_NOT_FOUND"],
});

/** The errors of what only a terminal with a screen, whose program runs and which the caller holds, can do. */
const takesInput = [
  "TERMINAL_NOT_FOUND",
  "TERMINAL_EXITED",
  "TERMINAL_NOT_INTERACTIVE",
  "TERMINAL_NOT_HELD",
] as const satisfies readonly ErrorCode[];

const terminalInputSchema = z
  .object({
    text: z.string().max(LIMITS.terminalInputLength).optional(),
    bytes: z.base64("must be base64").max(LIMITS.terminalInputLength).optional(),
    offset: z
      .int()
      .min(0)
      .optional()
      .describe(
        "The byte offset of this piece in a text command's input; bytes that were already accepted are skipped, so a piece may be sent again.",
      ),
    end: z.boolean().optional().describe("Whether a text command's input ends with it."),
  })
  .refine(({ text, bytes }) => (text === undefined) !== (bytes === undefined), {
    error: "must have text or bytes, and not both",
  })
  .meta({ id: "TerminalInput", description: "What is typed: text, or bytes in base64." });

export const writeTerminal = defineOperation({
  name: "writeTerminal",
  method: "POST",
  path: "/sdk/acp/terminals/{id}/input",
  summary: "Type into a terminal; responds when it can accept more",
  permission: "terminal",
  params: terminalParamsSchema,
  body: terminalInputSchema,
  stream: false,
  response: successSchema({}),
  errors: [...takesInput, "INVALID_JSON", "BODY_TOO_LARGE"],
});

const wantedSizeSchema = z
  .object({
    cols: sideSchema,
    rows: sideSchema,
  })
  .meta({ id: "WantedTerminalSize", description: "The requested size of a terminal's screen." });

// Returns the size in force.
export const resizeTerminal = defineOperation({
  name: "resizeTerminal",
  method: "POST",
  path: "/sdk/acp/terminals/{id}/resize",
  summary: "Change the size of a terminal's screen",
  permission: "terminal",
  params: terminalParamsSchema,
  body: wantedSizeSchema,
  stream: false,
  response: successSchema({ size: terminalSizeSchema }),
  errors: [...takesInput, "INVALID_JSON", "BODY_TOO_LARGE"],
});

const wantedHolderSchema = z
  .object({
    kind: z
      .enum(["client", "session"])
      .describe(
        "client: the caller. session: the session whose agent created it; a caller that holds it hands it back, otherwise the turn that uses it continues without it.",
      ),
  })
  .meta({ id: "WantedTerminalHolder", description: "The requested holder of a terminal." });

export const claimTerminal = defineOperation({
  name: "claimTerminal",
  method: "POST",
  path: "/sdk/acp/terminals/{id}/claim",
  summary: "Take a terminal over to type into it, give it back, or detach it from the turn that uses it",
  permission: "terminal",
  params: terminalParamsSchema,
  body: wantedHolderSchema,
  stream: false,
  response: successSchema({ terminal: terminalStatusSchema }),
  errors: [...takesInput, "INVALID_JSON", "BODY_TOO_LARGE"],
});

export const interruptTerminal = defineOperation({
  name: "interruptTerminal",
  method: "POST",
  path: "/sdk/acp/terminals/{id}/interrupt",
  summary: "Interrupt the program in a terminal, as Ctrl-C does; the program decides how it reacts",
  permission: "terminal",
  params: terminalParamsSchema,
  stream: false,
  response: successSchema({}),
  errors: ["TERMINAL_NOT_FOUND"],
});

export const killTerminal = defineOperation({
  name: "killTerminal",
  method: "POST",
  path: "/sdk/acp/terminals/{id}/kill",
  summary:
    "End a terminal's command and every process it started; after its exit, the processes it left running",
  permission: "terminal",
  params: terminalParamsSchema,
  stream: false,
  response: successSchema({}),
  errors: ["TERMINAL_NOT_FOUND"],
});
