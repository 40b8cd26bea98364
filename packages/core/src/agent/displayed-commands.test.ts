// Updates split in two: the news of an agent's own commands, and the rest of the update.
import { expect, test } from "vitest";
import { readDisplayNews } from "./displayed-commands.ts";

const call = { sessionUpdate: "tool_call_update", toolCallId: "t" };

test("[N53] all reports of an update about terminals are read in the order in which they can have happened", () => {
  const { news } = readDisplayNews({
    ...call,
    title: "make",
    _meta: {
      terminal_exit: { terminal_id: "a", exit_code: 2, signal: null },
      terminal_output_delta: { terminal_id: "a", data: "two" },
      terminal_output: { terminal_id: "a", data: "one" },
      terminal_info: { terminal_id: "a", cwd: "/work" },
    },
    content: [{ type: "terminal", terminalId: "b" }],
  });
  const of = { toolCallId: "t" };
  expect(news).toEqual([
    { ...of, kind: "announced", terminalId: "b", isNew: false, title: "make" },
    { ...of, kind: "announced", terminalId: "a", isNew: true, title: "make", cwd: "/work" },
    { ...of, kind: "text", terminalId: "a", text: "one" },
    { ...of, kind: "text", terminalId: "a", text: "two" },
    { ...of, kind: "exited", terminalId: "a", exitCode: 2, signal: null },
  ]);
});

test("[N56] the rest of an update has no output; where it carried nothing else, nothing is left", () => {
  const output = { terminal_output: { terminal_id: "a", data: "one" } };
  expect(readDisplayNews({ ...call, _meta: output }).rest).toBeUndefined();
  expect(readDisplayNews({ ...call, _meta: { ...output, vendor: 1 } }).rest).toEqual({
    ...call,
    _meta: { vendor: 1 },
  });
  expect(readDisplayNews({ ...call, status: "completed", _meta: output }).rest).toEqual({
    ...call,
    status: "completed",
  });
  expect(readDisplayNews({ sessionUpdate: "terminal_update", terminalId: "a" }).rest).toBeUndefined();
});

test.each([
  [{ ...call, _meta: { terminal_output: "text", terminal_exit: null, terminal_info: [] } }],
  [{ ...call, _meta: { terminal_output: { terminal_id: "a", data: 5 } } }],
  [{ sessionUpdate: "terminal_update", output: { data: "YQ==" } }],
  [{ sessionUpdate: "terminal_output_chunk", terminalId: "a" }],
  [{ sessionUpdate: "tool_call", _meta: { terminal_output: { terminal_id: "a", data: "x" } } }],
])("[N53] what is not as agreed shows nothing: %j", (update) => {
  expect(readDisplayNews(update).news.filter(({ kind }) => kind !== "announced")).toEqual([]);
});

test("[N53] other updates come back as they are", () => {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } };
  expect(readDisplayNews(update)).toEqual({ news: [], rest: update });
  expect(readDisplayNews(update).rest).toBe(update);
});
