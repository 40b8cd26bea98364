// Operations on terminals: make them, list them, read them, follow them, type into them, end them.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import type { ErrorCode } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { flagSchema, wholeNumberSchema } from "../query.ts";
import {
  terminalEventSchema,
  terminalSizeSchema,
  terminalStatusSchema,
  terminalTextSchema,
} from "../terminal.ts";

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
      .describe("A title that the program's own never replaces."),
    input: z
      .boolean()
      .optional()
      .describe("Whether a text command gets input; without it, there is none to read. A tty always does."),
    paced: z
      .boolean()
      .optional()
      .describe(
        "Whether a text command waits for who follows it with paced=true, so that no byte is skipped.",
      ),
  })
  .meta({ id: "NewTerminal", description: "A command to be run in a terminal." });

/** A command to be run in a terminal. */
export type NewTerminalRequest = z.infer<typeof newTerminalSchema>;

/** `POST /sdk/acp/terminals`; what it runs goes on when nobody follows it. */
export const createTerminal = defineOperation({
  name: "createTerminal",
  method: "POST",
  path: "/sdk/acp/terminals",
  summary: "Run a command in a terminal of its own; nobody is asked, so it is for the owner alone",
  permission: "admin",
  body: newTerminalSchema,
  stream: false,
  response: successSchema({ terminal: terminalStatusSchema }),
  errors: ["COMMAND_NOT_FOUND", "COMMAND_NOT_EXECUTABLE", "INVALID_JSON", "BODY_TOO_LARGE"],
});

/** `GET /sdk/acp/terminals`. */
export const listTerminals = defineOperation({
  name: "listTerminals",
  method: "GET",
  path: "/sdk/acp/terminals",
  summary: "List the terminals of the caller's sessions; of one session also those that are finished",
  permission: "terminal",
  query: z.object({ session: z.string().min(1).optional().describe("The key of the only session wanted.") }),
  stream: false,
  response: successSchema({ terminals: z.array(terminalStatusSchema) }),
  errors: ["ACP_SESSION_NOT_FOUND"],
});

/** `GET /sdk/acp/terminals/:id/output`. */
export const readTerminal = defineOperation({
  name: "readTerminal",
  method: "GET",
  path: "/sdk/acp/terminals/{id}/output",
  summary: "Read the newest of what a terminal shows, as text",
  permission: "terminal",
  params: terminalParamsSchema,
  query: z.object({
    limitBytes: wholeNumberSchema(LIMITS.terminalTextBytes)
      .optional()
      .describe("How much of it at most, from its end."),
  }),
  stream: false,
  response: successSchema({ output: terminalTextSchema }),
  errors: ["TERMINAL_NOT_FOUND"],
});

/** `GET /sdk/acp/terminals/:id/stream`; the id of an event is the offset after it. */
export const streamTerminal = defineOperation({
  name: "streamTerminal",
  method: "GET",
  path: "/sdk/acp/terminals/{id}/stream",
  summary: "Follow a terminal's bytes from an offset on, or from the first that is kept",
  permission: "terminal",
  params: terminalParamsSchema,
  query: z.object({
    after: wholeNumberSchema().optional().describe("The offset of the first byte wanted."),
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
        "Of a text command's input: where this begins, in bytes; what was taken before is passed over, so it may be sent again.",
      ),
    end: z.boolean().optional().describe("Whether a text command's input ends with it."),
  })
  .refine(({ text, bytes }) => (text === undefined) !== (bytes === undefined), {
    error: "must have text or bytes, and not both",
  })
  .meta({ id: "TerminalInput", description: "What is typed: text, or bytes in base64." });

/** `POST /sdk/acp/terminals/:id/input`. */
export const writeTerminal = defineOperation({
  name: "writeTerminal",
  method: "POST",
  path: "/sdk/acp/terminals/{id}/input",
  summary: "Type into a terminal; answered when there is room for more",
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
  .meta({ id: "WantedTerminalSize", description: "The size that a terminal's screen shall have." });

/** `POST /sdk/acp/terminals/:id/resize`; answers with the size as it is then. */
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
        "client: the caller itself. session: the one whose agent made it; from a caller that holds it, it is given back, else the turn that uses it goes on without it.",
      ),
  })
  .meta({ id: "WantedTerminalHolder", description: "Who shall hold a terminal." });

/** `POST /sdk/acp/terminals/:id/claim`. */
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

/** `POST /sdk/acp/terminals/:id/kill`. */
export const killTerminal = defineOperation({
  name: "killTerminal",
  method: "POST",
  path: "/sdk/acp/terminals/{id}/kill",
  summary: "End what runs in a terminal, with everything that it started",
  permission: "terminal",
  params: terminalParamsSchema,
  stream: false,
  response: successSchema({}),
  errors: ["TERMINAL_NOT_FOUND"],
});
