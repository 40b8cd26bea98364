// Folders of the built-in agent: one for each session, with the files of earlier versions.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeId, sessionUri } from "@holdfast/ahp";
import { expect, it, onTestFinished } from "vitest";
import { AgentFolders } from "./agent-folders.ts";

const session = (id: string, backendId?: string) => ({
  resource: sessionUri(makeId("session", id)),
  ...(backendId !== undefined && { backendId }),
});

it("[N710] gives each session its folder, with what an earlier version kept for it, and removes it", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-folders-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const common = path.join(home, "agents/shell");
  mkdirSync(common, { recursive: true });
  const files = ["one.json", "one.history.json", "two.json", "two.history.json"];
  for (const name of files) writeFileSync(path.join(common, name), "{}");
  const folders = new AgentFolders(home);
  const [first, second] = [session("..", "one"), session("b", "two")];
  const folder = folders.make("shell", first);
  expect(path.dirname(folder)).toBe(common);
  expect(readdirSync(folder).toSorted()).toEqual(["one.history.json", "one.json"]);
  expect(folders.make("shell", first)).toBe(folder);
  expect(readdirSync(folders.make("shell", second)).toSorted()).toEqual(["two.history.json", "two.json"]);
  expect(readdirSync(folders.make("shell"))).toEqual([]);
  await folders.remove(first.resource);
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(folders.make("shell", second))).toHaveLength(2);
});
