// The operation that searches the text of sessions.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { wholeNumberSchema } from "../request.ts";
import { cwdSchema } from "../runtime-option.ts";

const timestamp = z.iso.datetime({ offset: true });

const searchResultSchema = z
  .object({
    session_key: z.string(),
    uri: z.string().optional().describe("Its channel in AHP."),
    agent_id: z.string(),
    title: z.string(),
    folder: z.string().optional().describe("The session's folder."),
    isClosed: z.literal(true).optional(),
    turnId: z.string().optional().describe("The turn that has the words; absent where the title does."),
    at: timestamp.describe("When the turn began; of a title, the session's last activity."),
    snippet: z.string().describe("A piece of the text around the words."),
    matches: z
      .array(z.object({ start: z.int(), end: z.int() }))
      .describe("Where the words are in the snippet, in UTF-16 units."),
  })
  .meta({ id: "SearchResult", description: "A turn or a title that has the words." });

/** A turn or a title that has the words. */
export type SearchResult = z.infer<typeof searchResultSchema>;

const searchQuerySchema = z.object({
  q: z
    .string()
    .min(1)
    .max(LIMITS.searchLength)
    .describe("Words that must all occur; the last may be the beginning of one. Nothing in them is syntax."),
  agent: z.string().min(1).optional().describe("Only sessions of the agent with this id."),
  folder: cwdSchema.optional().describe("Only sessions in this folder or below it."),
  since: timestamp.optional().describe("Only turns that began at this moment or later."),
  until: timestamp.optional().describe("Only turns that began before this moment."),
  limit: wholeNumberSchema(LIMITS.searchResults)
    .refine((count) => count > 0, { error: "must be at least 1" })
    .optional()
    .describe("The maximum number of results; 20 if left out."),
});

/** A search and its filters. */
export type SearchSessionsQuery = z.output<typeof searchQuerySchema>;

export const searchSessions = defineOperation({
  name: "searchSessions",
  method: "GET",
  path: "/sdk/acp/search",
  summary: "Search messages, replies, commands and titles of the caller's sessions, open or closed",
  permission: "acp.agent",
  query: searchQuerySchema,
  stream: false,
  response: successSchema({ results: z.array(searchResultSchema) }),
  errors: [],
});
