// Ids that follow from the name of an agent's request: the same whenever and by whichever host it is handled (N721).
import { createHash } from "node:crypto";

/** Purpose of an id: one request may need several. */
export type IdPurpose = "approval" | "question" | "form" | "terminal";

/** An id for one purpose of a request, in the form of a UUID. */
export function idFor(requestName: string, purpose: IdPurpose): string {
  const digest = createHash("sha256").update(`${purpose} ${requestName}`).digest("hex");
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
}
