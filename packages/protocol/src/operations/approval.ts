// Operations on approvals: what waits for an answer in all of the caller's sessions, and the answer.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { permissionRequestDataSchema } from "../events.ts";
import { defineOperation } from "../operation.ts";
import { readAs } from "../spelling.ts";
import { resolutionShape } from "./permission.ts";

const pendingApprovalSchema = z
  .object({
    ...permissionRequestDataSchema.shape,
    session_key: z.string(),
    requestedAt: z.iso.datetime({ offset: true }),
  })
  .meta({ id: "PendingApproval", description: "A permission request that waits for its answer." });

/** A permission request that waits for its answer: what the event told, its session, and since when. */
export type PendingApproval = z.infer<typeof pendingApprovalSchema>;

/** `GET /sdk/acp/approvals`. */
export const listApprovals = defineOperation({
  name: "listApprovals",
  method: "GET",
  path: "/sdk/acp/approvals",
  summary: "List what waits for an answer in all of the caller's sessions, the oldest first",
  permission: "acp.agent",
  stream: false,
  response: successSchema({ approvals: z.array(pendingApprovalSchema) }),
  errors: [],
});

/** `POST /sdk/acp/approvals/:id`; the first answer counts, from whichever connection it comes. */
export const resolveApproval = defineOperation({
  name: "resolveApproval",
  method: "POST",
  path: "/sdk/acp/approvals/{id}",
  summary: "Answer a permission request, whatever session it is in",
  permission: "acp.agent",
  params: z.object({ id: z.string() }),
  body: readAs(
    z
      .object({
        optionId: z.string().min(1).describe("The id of an option, or the kind that exactly one option has."),
      })
      .meta({ id: "ApprovalAnswer", description: "The option that was chosen." }),
    { spellings: { option_id: "optionId" }, nullIsAbsent: true },
  ),
  stream: false,
  response: successSchema(resolutionShape),
  errors: ["INVALID_JSON", "BODY_TOO_LARGE"],
});
