// Terminals as the app API tells of them: what they are, what they show, and the events of their streams.
import { z } from "zod";

const limitFiredSchema = z.object({
  name: z.string().describe("Which limit, such as run-time or memory."),
  value: z.number(),
  unit: z.enum(["ms", "bytes", "count"]),
});

const terminalExitSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("code"), exitCode: z.int(), limit: limitFiredSchema.optional() }),
    z.object({ kind: z.literal("signal"), signal: z.string(), limit: limitFiredSchema.optional() }),
    z.object({
      kind: z.literal("unknown"),
      reason: z.string().describe("Why nobody saw how, such as a restart of the host."),
    }),
  ])
  .meta({ id: "TerminalExit", description: "How a program ended." });

const terminalLifecycleSchema = z
  .discriminatedUnion("status", [
    z.object({ status: z.literal("running") }),
    z.object({
      status: z.literal("exited"),
      exitedAt: z.iso.datetime({ offset: true }),
      exit: terminalExitSchema,
    }),
  ])
  .meta({ id: "TerminalLifecycle", description: "Whether a terminal's program runs." });

const sizeShape = { cols: z.int(), rows: z.int() };

/** The size of a terminal's screen in characters. */
export const terminalSizeSchema = z
  .object(sizeShape)
  .meta({ id: "TerminalSize", description: "The size of a terminal's screen in characters." });

/** The client id under which the owner holds terminals by the app API; it is never connected, so any client may claim them. */
export const OWNER_CLIENT_ID = "owner";

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

/** One terminal as the list shows it. */
export const terminalStatusSchema = z
  .object({
    id: z.string(),
    session_key: z.string().nullable().describe("The session that holds it; null when a person does."),
    title: z.string(),
    run: z
      .enum(["text", "tty", "display"])
      .describe("Merged pipes, a pseudo terminal, or run by the agent itself and only shown."),
    lifecycle: terminalLifecycleSchema,
    holder: terminalHolderSchema,
    startedAt: z.iso.datetime({ offset: true }).optional(),
    cwd: z.string().optional().describe("The folder that its program is in."),
    size: terminalSizeSchema.optional(),
    output: z.object({
      endOffset: z.int().describe("The bytes written so far."),
      skippedBytes: z.int().describe("The bytes at the front that are no longer kept."),
    }),
  })
  .meta({ id: "TerminalStatus", description: "One terminal as the list shows it." });

/** One terminal as the list shows it. */
export type TerminalStatus = z.infer<typeof terminalStatusSchema>;

/** What a terminal shows, as text. */
export const terminalTextSchema = z
  .object({
    text: z.string(),
    truncated: z.boolean().describe("Whether something before it was left out."),
    endOffset: z.int(),
    lifecycle: terminalLifecycleSchema,
  })
  .meta({ id: "TerminalText", description: "What a terminal shows, escape sequences removed." });

/** What a terminal shows, as text. */
export type TerminalText = z.infer<typeof terminalTextSchema>;

const offset = z.int().describe("In bytes from the terminal's first one.");

/** One event of a terminal's stream; `close` is the last. */
export const terminalEventSchema = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("output"),
      data: z.object({ offset, bytes: z.base64() }),
    }),
    z.object({
      type: z.literal("skipped"),
      data: z.object({ offset: z.int().describe("Where what follows begins."), skippedBytes: z.int() }),
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
