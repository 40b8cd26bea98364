// Changes of an agent's terminal that every viewer may make for all: clear the view, set the title.
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask } from "../testing/script.ts";
import { create, gate, id, rejected, scenes } from "../testing/terminal-scene.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";

guardLeaks();
const play = scenes(useFakeHosts());

test("[U20] clearing empties the view for all, and the agent's output stays", async () => {
  const scene = await play([
    create("echo before; read word"),
    { do: "poll", ...id, text: "before" },
    gate("cleared"),
    ask("output", "terminal/output", id),
    gate("on"),
  ]);
  const { ann, ben, host, session, uri } = scene;
  await ann.sees("before");
  expect(ann.submit({ type: "terminal/cleared", offset: 0 })).toMatchObject({ outcome: "accepted" });
  await ben.next();
  expect(ann.text).toBe("");
  expect(ben.text).toBe("");
  const late = await WatchingClient.open(host.terminals, uri, "carl");
  expect(late.text).toBe("");
  host.pass("cleared");
  expect((await session.agent.result("output"))["output"]).toContain("before");
});

test("[U21] a person's title stays; nothing but the five actions may be dispatched", async () => {
  const scene = await play([create(String.raw`read word; printf '\033]0;mine\007'; read more`), gate("on")]);
  const { ann, ben, host, uri } = scene;
  expect(ben.submit({ type: "terminal/titleChanged", title: "Build", source: "program" })).toMatchObject({
    outcome: "accepted",
  });
  expect(await ann.next()).toMatchObject({ title: "Build", titleSource: "person" });
  await until(() => host.host.hub.list("root")[0]?.state.terminals[0]?.title === "Build");
  ann.claim();
  ann.type("\n");
  await ann.sees("mine");
  expect((await ann.next()).title).toBe("Build");
  const hostOnly = [
    { type: "terminal/data", data: "x", offset: 0, endOffset: 1 },
    { type: "terminal/cwdChanged", cwd: "file:///" },
    { type: "terminal/exited", exitedAt: "", exit: { kind: "code", exitCode: 0 } },
    { type: "chat/activityChanged" },
  ] as const;
  for (const action of hostOnly) expect(ann.submit(action)).toEqual(rejected(/cannot dispatch/));
  const origin = { clientId: ann.clientId, clientSeq: 99 };
  const input = { type: "terminal/input", data: "x" } as const;
  expect(host.terminals.submit("ahp-terminal:/none", input, origin)).toEqual({
    outcome: "unknown-channel",
  });
  expect(host.terminals.submit(uri, input, origin)).toEqual({ outcome: "accepted" });
});
