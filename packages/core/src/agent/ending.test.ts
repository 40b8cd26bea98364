// The end of an agent's process: requested first, then forced, and nothing that it started is left.
import { expect, test } from "vitest";
import { findByArgument, guardLeaks, isAlive, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { until } from "../testing/agent-record.ts";
import { useFakeHosts } from "../testing/fake-host.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[N16] an agent that ends with its input is not signalled", async () => {
  const host = newHost({ timeouts: { endOfInputMs: 5000 } });
  const session = await host.open();
  const { pid } = session.agent.process;
  const startedAt = performance.now();
  await session.close();
  expect(performance.now() - startedAt).toBeLessThan(2500);
  expect(session.agent.endings).toEqual(["end of input"]);
  expect(isAlive(pid)).toBe(false);
});

test("[N16] one that ignores the end of its input gets TERM, one that ignores that too is killed", async () => {
  const agents = {
    polite: { ignoresEndOfInput: true },
    rude: { ignoresEndOfInput: true, ignoresTerm: true },
  };
  const host = newHost({ agents, timeouts: { endOfInputMs: 50, killGraceMs: 100 } });
  const polite = await host.open({ agent_id: "polite" });
  const rude = await host.open({ agent_id: "rude" });
  await Promise.all([polite.close(), rude.close()]);
  expect(polite.agent.endings).toEqual(["end of input"]);
  expect(rude.agent.endings).toEqual(["end of input", "SIGTERM"]);
  expect(isAlive(polite.agent.process.pid)).toBe(false);
  expect(isAlive(rude.agent.process.pid)).toBe(false);
});

test("[N16] an agent that ignores everything and has children in their own process sessions leaves nothing", async () => {
  const seconds = uniqueSeconds();
  const children = `trap '' TERM HUP; setsid sh -c "trap '' TERM HUP; sleep ${seconds}; sleep ${seconds}" & setsid sleep ${seconds} & wait`;
  const script = { ignoresEndOfInput: true, ignoresTerm: true, children };
  const host = newHost({ agents: { mine: script }, timeouts: { endOfInputMs: 20, killGraceMs: 50 } });
  const session = await host.open();
  await until(() => findByArgument(`sleep ${seconds}`).length >= 2);
  await session.close();
  expect(findByArgument(seconds)).toEqual([]);
});

test("[N16] what an agent left running when it died is ended, at the latest when the session closes", async () => {
  const seconds = uniqueSeconds();
  const host = newHost({
    agents: { mine: { children: `trap '' TERM; setsid sleep ${seconds} & sleep ${seconds}` } },
    timeouts: { killGraceMs: 100 },
  });
  const session = await host.open();
  await until(() => findByArgument(`sleep ${seconds}`).length >= 2);
  process.kill(session.agent.process.pid, "SIGKILL");
  await until(() => session.status.state === "stale");
  await session.close();
  expect(findByArgument(seconds)).toEqual([]);
});

test("[N16] a host that closes ends every agent and every command, also in mid-turn", async () => {
  const seconds = uniqueSeconds();
  const run = {
    do: "ask",
    as: "made",
    method: "terminal/create",
    params: { command: `sleep ${seconds}` },
  } as const;
  const host = newHost({ agents: { mine: { prompts: { go: [run, { do: "hang" }] } } } });
  const sessions = await Promise.all([host.open(), host.open(), host.open()]);
  const turns = sessions.map((session) => session.stream("go"));
  await until(() => findByArgument(seconds).length >= 3);
  await host.host.close();
  expect(await untilGone(seconds)).toEqual([]);
  expect(host.heard().processes.filter(({ pid }) => isAlive(pid))).toEqual([]);
  const ends = await Promise.all(turns.map((turn) => turn.ended));
  expect(ends.map(({ type }) => type)).toEqual([
    "chat/turnInterrupted",
    "chat/turnInterrupted",
    "chat/turnInterrupted",
  ]);
});

test("[N5] a closed session is gone: its turn is cancelled, its key is unknown, its viewers are notified", async () => {
  const host = newHost({ agents: { mine: { prompts: { long: [{ do: "hang" }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const turn = session.stream("long");
  await session.agent.heard("session/prompt");
  await session.close("bored");
  expect(await turn.ended).toMatchObject({ type: "chat/turnCancelled", reason: "bored" });
  const gone = expect.objectContaining({ code: "ACP_SESSION_NOT_FOUND", status: 404 }) as Error;
  expect(() => session.status).toThrow(gone);
  expect(() => session.stream("hello")).toThrow(gone);
  await expect(session.chat("hello")).rejects.toThrow(gone);
  await expect(session.close()).rejects.toThrow(gone);
  await expect(session.cancel()).rejects.toThrow(gone);
  await expect(session.patch({})).rejects.toThrow(gone);
  expect(() => session.resolve("any", "yes")).toThrow(gone);
  await until(() => host.host.hub.list("session").length === 0);
});
