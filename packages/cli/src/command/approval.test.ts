// How a word finds its approval.
import type { Holdfast } from "@holdfast/sdk";
import { expect, it } from "vitest";
import { findApproval } from "./approval.ts";

const approvals = [
  { requestId: "6f1d0a52-0000", session_key: "agent:shell:acp:1798c004-4463-471b-b097-552e4c303883" },
  { requestId: "9b2e77c1-0000", session_key: "agent:shell:acp:hfUJr9uFOGK_uHSffNYjKQ" },
];
const api = { approvals: { list: async () => approvals } } as unknown as Holdfast;

it.each([
  ["6f1d0a52-0000", "6f1d0a52-0000"],
  ["9b2e", "9b2e77c1-0000"],
  ["1798C0", "6f1d0a52-0000"],
  ["hfUJr9uF", "9b2e77c1-0000"],
])("[C52] %s is the approval %s, also by a session whose client chose its id", async (word, requestId) => {
  expect(await findApproval(api, word)).toMatchObject({ requestId });
});

it("[C52] a word that is too short, or means several, finds none", async () => {
  await expect(findApproval(api, "9b2")).rejects.toMatchObject({ code: "APPROVAL_NOT_FOUND" });
  await expect(findApproval(api, "agent:")).rejects.toMatchObject({ code: "APPROVAL_AMBIGUOUS" });
});
