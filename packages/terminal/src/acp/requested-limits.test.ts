// Limits that an agent requests for one command.
import { afterAll, expect, test } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { makeAcpTerminals } from "../testing/level.ts";

guardLeaks();
const terminals = makeAcpTerminals({ environment: process.env, limits: { wallClockMs: 60_000 } });
afterAll(() => terminals.close());

const sessionId = "session";

function create(limits: object): Promise<{ terminalId: string }> {
  return terminals.createTerminal({ sessionId, command: "sleep 60", _meta: { holdfast: { limits } } });
}

test("[T665] a limit above the client's, one that does not exist and one that is no number are refused", async () => {
  await expect(create({ wallClockSeconds: 61 })).rejects.toMatchObject({
    code: "invalid_request",
    field: "limits.wallClockMs",
    message: "limits.wallClockMs must be at most 60000",
  });
  await expect(create({ time: 1 })).rejects.toMatchObject({ field: "_meta.holdfast.limits.time" });
  await expect(create({ memoryMebibytes: "1" })).rejects.toMatchObject({ code: "invalid_request" });
});

test("[T665] a lower limit applies, and the others of the client stay", async () => {
  const { terminalId } = await create({ wallClockSeconds: 0.1, outputMebibytes: 1 });
  const terminal = terminals.display({ sessionId, terminalId });
  expect(terminal?.limits).toMatchObject({ outputBytes: { value: 1024 * 1024 } });
  expect((await terminal?.exited)?.limit).toEqual({ name: "wallClockMs", value: 100, level: "command" });
});
