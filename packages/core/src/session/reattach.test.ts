// Agents, turns and terminals that outlive their host: killed between two ticks, continued by the next one.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { ME } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { type Restarts, useRestarts } from "../testing/restarts.ts";

const newRestarts = useRestarts();

function sessionOf(restarts: Restarts, key: string): FakeSession {
  return new FakeSession(restarts.host, key, restarts.heard);
}

async function send(restarts: Restarts, key: string, message: string): Promise<void> {
  await restarts.host.streamTurn(key, { message }, ME, () => undefined);
}

test("[R720] a turn goes on in the next host: same id, text once and in order, the agent keeps its process", async () => {
  const restarts = newRestarts({
    script: {
      prompts: {
        "*": [
          { do: "say", text: "one " },
          { do: "until", path: "first" },
          { do: "say", text: "two " },
          { do: "say", text: "three " },
          { do: "until", path: "second" },
          { do: "say", text: "four" },
        ],
      },
    },
  });
  await restarts.start();
  const key = await restarts.open();
  await send(restarts, key, "go");
  const before = await until(
    () =>
      sessionOf(restarts, key).chatState.activeTurn?.openPart &&
      sessionOf(restarts, key).chatState.activeTurn,
  );
  restarts.kill();
  restarts.pass("first");
  await sleep(50);
  await restarts.start();
  const session = sessionOf(restarts, key);
  expect(session.chatState.activeTurn).toMatchObject({ id: before.id, startedAt: before.startedAt });
  expect(session.state.lifecycle.status).toBe("ready");
  await restarts.start();
  restarts.pass("second");
  await until(() => sessionOf(restarts, key).chatState.activeTurn === undefined);
  const ended = sessionOf(restarts, key);
  expect(ended.text).toBe("one two three four");
  expect(ended.lastTurn).toMatchObject({ id: before.id, end: { state: "complete", stopReason: "end_turn" } });
  // Idle, its agent keeps its process as well.
  await restarts.start();
  await sessionOf(restarts, key).turn("again");
  expect(restarts.heard.processes).toHaveLength(1);
  expect(restarts.heard.methods).toEqual(["initialize", "session/new", "session/prompt", "session/prompt"]);
});
