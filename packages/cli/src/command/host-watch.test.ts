// States of sessions in the lines of `watch`.
import { expect, it } from "vitest";
import { Paint } from "../console.ts";
import { changeLine } from "./host-watch.ts";

it.each([
  ["stale", "idle"],
  ["busy", "running"],
  ["busy, waits for tool", "running"],
  ["busy, waits for permission", "needs approval"],
  ["busy, waits for input", "needs an answer"],
  ["ready", "idle"],
])("[C517, C840] %j is read as %j", (state, words) => {
  const session = {
    session_key: "agent:shell:acp:1798c004-4463-471b-b097-552e4c303883",
    title: "build",
    state,
  };
  const line = changeLine({ event: "session_changed", ...session }, new Date(), new Paint(false));
  expect(line).toMatch(new RegExp(`session 1798c004 ${words} build$`));
});
