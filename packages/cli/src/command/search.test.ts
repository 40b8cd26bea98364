// `holdfast search` against a real host with its database.
import type { SearchResult } from "@holdfast/sdk";
import { expect, it } from "vitest";
import { useAdministeredHost } from "../testing/administered-host.ts";

const host = useAdministeredHost();

it("[C742] search prints the sessions that have the words, and what has them", async () => {
  const { api, work } = host;
  const { session_key } = await api.acpAgent.createSession({
    agent_id: "shell",
    cwd: work,
    approvalPolicy: "approve-all",
  });
  await api.acpAgent.chat(session_key, "echo needle in a haystack");
  const name = session_key.slice(session_key.lastIndexOf(":") + 1).slice(0, 8);
  const { stdout } = await host.run("search", "haystack", "need");
  expect(stdout).toMatch(
    new RegExp(`^${name}  \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d  echo needle in a haystack\\n    .*needle`),
  );
  const results = await host.read<SearchResult[]>("search", "needle", "--folder", work, "-n", "5");
  expect(results).toContainEqual(
    expect.objectContaining({
      session_key,
      agent_id: "shell",
      folder: work,
      turnId: expect.any(String) as string,
    }),
  );
  expect(await host.read("search", "needle", "--agent", "codex-cli")).toEqual([]);
  expect((await host.run("search", '"', "nothing-like-this")).stdout).toBe("");
  await api.acpAgent.closeSession(session_key);
  const [found] = await api.search.sessions("needle haystack");
  expect(found).toMatchObject({ session_key, isClosed: true });
  expect(found?.matches.map(({ start, end }) => found.snippet.slice(start, end))).toContain("haystack");
});

it("[C742] search without a word says so", async () => {
  const { code, stderr } = await host.run("search", " ");
  expect(code).toBe(2);
  expect(stderr).toContain("There is no word to search for.");
});
