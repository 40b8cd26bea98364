// Turns what the host refuses into the answer for the client that asked.
import { HostError } from "@holdfast/protocol";
import type { Submission } from "../terminal/terminal-desk.ts";

/** What the host refuses, its author is told; anything else is a fault. */
export function rejectionOf(error: unknown): Submission {
  if (error instanceof HostError) return { outcome: "rejected", reason: error.message };
  throw error;
}
