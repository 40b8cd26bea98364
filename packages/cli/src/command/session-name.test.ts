// Short names of sessions, whether the host or a client chose their ids.
import type { Holdfast } from "@holdfast/sdk";
import { expect, it } from "vitest";
import { resolveSession, shortSessionName } from "./session-name.ts";

const byHost = "agent:shell:acp:1798c004-4463-471b-b097-552e4c303883";
const byPage = "agent:shell:acp:hfUJr9uFOGK_uHSffNYjKQ";
const api = {
  acpAgent: {
    listSessions: async () => [byHost, byPage].map((session_key) => ({ session_key, agent_id: "shell" })),
  },
} as unknown as Holdfast;

it("[C20] a list shows eight characters of the id, and they find the session", async () => {
  expect([byHost, byPage].map(shortSessionName)).toEqual(["1798c004", "hfUJr9uF"]);
  expect(await resolveSession(api, "1798C0")).toBe(byHost);
  expect(await resolveSession(api, "hfUJ")).toBe(byPage);
  expect(await resolveSession(api, "agent:shell:acp:hf")).toBe(byPage);
  await expect(resolveSession(api, "hfuj")).rejects.toMatchObject({ code: "ACP_SESSION_NOT_FOUND" });
  await expect(resolveSession(api, "agent:")).rejects.toMatchObject({ code: "SESSION_AMBIGUOUS" });
});
