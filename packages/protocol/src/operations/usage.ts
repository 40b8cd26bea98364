// The operation that sums up what agents reported to have used.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";
import { wholeNumberSchema } from "../request.ts";

const usageDaySchema = z.object({
  day: z.string().describe("A day in UTC, such as 2026-01-31."),
  agent_id: z.string(),
  turns: z.int().describe("Turns that began on this day."),
  inputTokens: z.int(),
  outputTokens: z.int(),
  totalTokens: z.int().describe("As the agent reported it; the sum of the others where it reported none."),
});

const usageCostSchema = z.object({
  agent_id: z.string(),
  currency: z.string(),
  amount: z.number(),
  sessions: z.int().describe("Sessions for which the agent reported a cost."),
});

const usageSchema = z
  .object({
    since: z.iso.datetime({ offset: true }),
    days: z.array(usageDaySchema).describe("Days with turns, the oldest first."),
    costs: z
      .array(usageCostSchema)
      .describe("What sessions with activity in these days have cost in all, as their agents reported it."),
    isComplete: z.boolean().describe("False where there were too many sessions or turns to read."),
  })
  .meta({
    id: "Usage",
    description: "Tokens and cost of the sessions that are kept, as agents reported them.",
  });

/** Tokens and cost of the sessions that are kept, as agents reported them. */
export type Usage = z.infer<typeof usageSchema>;

export const readUsage = defineOperation({
  name: "readUsage",
  method: "GET",
  path: "/admin/usage",
  summary: "Sum up tokens and cost by day and agent, as agents reported them",
  permission: "admin",
  query: z.object({
    days: wholeNumberSchema(366)
      .refine((count) => count > 0, { error: "must be at least 1" })
      .optional()
      .describe("How many days, with today; 30 if left out."),
  }),
  stream: false,
  response: successSchema({ usage: usageSchema }),
  errors: [],
});
