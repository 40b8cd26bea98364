// Operations on changes over HTTP: what reaches the host, and what is refused before.
import { OPERATIONS } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { serve } from "../testing/serving.ts";

it("[A740, A805] changes are listed, read, reverted, staged, unstaged and committed", async () => {
  const { client, host } = await serve();
  const key = "agent:codex:acp:one";
  const at = `/sdk/acp/session/${encodeURIComponent(key)}/changes`;
  const listed = (await client.send("GET", `${at}?turn=2`)).body;
  expect(OPERATIONS.listChanges.response.safeParse(listed).error).toBeUndefined();
  const read = (await client.send("GET", `${at}/diff?path=${encodeURIComponent("a b.txt")}`)).body;
  expect(OPERATIONS.diffChanges.response.safeParse(read).error).toBeUndefined();
  const files = [{ path: "a.txt", hunks: ["0123456789abcdef"] }];
  expect((await client.send("POST", `${at}/revert`, { body: { files } })).body).toEqual({
    success: true,
    summary: { files: 0, additions: 0, deletions: 0 },
  });
  expect((await client.send("POST", `${at}/stage`, { body: { paths: ["a.txt"] } })).body).toEqual({
    success: true,
  });
  expect((await client.send("POST", `${at}/unstage`, { body: { paths: ["a.txt"] } })).body).toEqual({
    success: true,
  });
  expect((await client.send("POST", `${at}/commit`, { body: { message: "x" } })).body).toEqual({
    success: true,
    commit: "c0ffee",
  });
  expect(host.changes.asked).toEqual([
    { list: key, turn: "2" },
    { diff: key, path: "a b.txt" },
    { revert: key, files },
    { stage: key, paths: ["a.txt"] },
    { unstage: key, paths: ["a.txt"] },
    { commit: key, message: "x" },
  ]);
});

it("[A740] requests without files, or with fields that nobody knows, are refused", async () => {
  const { client, host } = await serve();
  const at = "/sdk/acp/session/one/changes";
  for (const [place, body] of [
    ["revert", { files: [] }],
    ["revert", { files: [{ path: "a", hunks: [] }] }],
    ["stage", { paths: [""] }],
    ["unstage", { paths: [] }],
    ["commit", { message: "" }],
    ["commit", { message: "x", amend: true }],
  ] as const) {
    expect((await client.send("POST", `${at}/${place}`, { body })).status).toBe(400);
  }
  expect(host.changes.asked).toEqual([]);
});
