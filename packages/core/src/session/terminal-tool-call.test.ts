// The turn and tool call in a claim on an agent's terminal: there while that call runs, and no longer.
import { type TerminalUri, makeId, terminalUri } from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, useFakeHosts } from "../testing/fake-host.ts";
import type { FakeSession } from "../testing/fake-session.ts";
import { ask, type Step, update } from "../testing/script.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";
import type { WatchedTurn } from "../testing/watched-turn.ts";

guardLeaks();
const newHost = useFakeHosts();

const create = (command: string): Step =>
  ask("made", "terminal/create", { command, _meta: { holdfast: { tty: true } } });
const gate = (name: string): Step => ({ do: "until", path: name });

interface Scene {
  readonly host: FakeHost;
  readonly session: FakeSession;
  readonly turn: WatchedTurn;
  readonly uri: TerminalUri;
  readonly ann: WatchingClient;
}

/** A turn that has made a terminal and continues as the steps say, watched by a client. */
async function play(steps: readonly Step[]): Promise<Scene> {
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const turn = session.stream("go");
  const { terminalId } = await session.agent.result("made");
  const uri = terminalUri(makeId("terminal", String(terminalId)));
  const ann = await WatchingClient.open(host.terminals, uri, "ann");
  return { host, session, turn, uri, ann };
}

function listed({ host }: Scene): unknown {
  return host.host.hub.list("root")[0]?.state.terminals.map(({ claim }) => claim);
}

const sessionClaim = (scene: Scene) => {
  const { resource, defaultChat } = scene.session.state;
  return { kind: "session", session: resource, chat: defaultChat ?? expect.fail() } as const;
};

describe("[U320] a claim's turn and tool call", () => {
  const call = (status: string, more: object = {}): Step =>
    update("tool_call", { toolCallId: "t", title: "Run", kind: "execute", status, ...more });
  const over = (status: string): Step => update("tool_call_update", { toolCallId: "t", status });

  for (const status of ["completed", "failed"]) {
    test(`[U320] go when the tool call has ${status}, and what it leaves running is background work`, async () => {
      const scene = await play([
        call("in_progress"),
        create("read word"),
        gate("over"),
        over(status),
        gate("on"),
      ]);
      const { ann, session, host, turn } = scene;
      const claim = sessionClaim(scene);
      expect((await ann.next()).claim).toEqual({ ...claim, turnId: turn.turnId, toolCallId: "t" });
      host.pass("over");
      await ann.has((state) => state.claim.kind === "session" && state.claim.toolCallId === undefined);
      expect(ann.state).toMatchObject({ claim, lifecycle: { status: "running" } });
      expect(ann.state.claim).toEqual(claim);
      expect(ann.actionTypes).toEqual(["terminal/claimed"]);
      expect(session.chatState.backgroundWork).toMatchObject([{ terminal: scene.uri }]);
      await until(() => JSON.stringify(listed(scene)) === JSON.stringify([claim]));
      host.pass("on");
    });
  }

  test("[U320] go before the exit is published, so that an exited terminal never has them", async () => {
    const scene = await play([call("in_progress"), create("read word"), gate("on")]);
    const { ann, turn } = scene;
    expect((await ann.next()).claim).toMatchObject({ turnId: turn.turnId, toolCallId: "t" });
    ann.claim();
    ann.claim(sessionClaim(scene));
    expect((await ann.next()).claim).toMatchObject({ turnId: turn.turnId, toolCallId: "t" });
    ann.claim();
    ann.type("x\n");
    ann.claim(sessionClaim(scene));
    await ann.has(({ lifecycle }) => lifecycle.status === "exited");
    expect(ann.state.claim).toEqual(sessionClaim(scene));
    expect(ann.actionTypes.slice(-2)).toEqual(["terminal/claimed", "terminal/exited"]);
    scene.host.pass("on");
  });

  test("[U320] are not given back once the tool call is over", async () => {
    const scene = await play([
      call("in_progress"),
      create("read word"),
      gate("over"),
      over("completed"),
      gate("on"),
    ]);
    const { ann, host, session } = scene;
    ann.claim();
    host.pass("over");
    await until(() => session.toolCalls[0]?.status === "completed");
    ann.claim(sessionClaim(scene));
    expect((await ann.next()).claim).toEqual(sessionClaim(scene));
    host.pass("on");
  });

  test("[U320] go from what a host left running when it was killed", async () => {
    const storage = new MemoryStorage();
    const steps = [call("in_progress"), create("exec sleep 60"), gate("on")];
    const fake = newHost({ agents: { mine: { prompts: { go: steps } } }, storage });
    const session = await fake.open({ approvalPolicy: "approve-all" });
    session.stream("go");
    const { terminalId } = await session.agent.result("made");
    const uri = terminalUri(makeId("terminal", String(terminalId)));
    await fake.host.hub.settled();
    expect(storage.loadChannel(uri)).toMatchObject({ state: { claim: { toolCallId: "t" } } });
    // A host that recovers the storage while the other still runs sees what one after a kill would see.
    const next = newHost({ agents: { mine: {} }, storage });
    await next.host.hub.settled();
    const kept = storage.loadChannel(uri);
    expect(kept?.kind === "terminal" && kept.state.claim).toEqual({
      kind: "session",
      session: session.state.resource,
      chat: session.state.defaultChat,
    });
    fake.pass("on");
  });

  test("[U321] name the tool call that shows the terminal, also when it is reported later", async () => {
    const shows = { content: [{ type: "terminal", terminalId: "$made.terminalId" }] };
    const scene = await play([
      create("read word"),
      gate("shown"),
      call("in_progress", shows),
      gate("over"),
      over("completed"),
      gate("on"),
    ]);
    const { ann, host, turn } = scene;
    expect((await ann.next()).claim).toEqual({ ...sessionClaim(scene), turnId: turn.turnId });
    host.pass("shown");
    await ann.has(({ claim }) => claim.kind === "session" && claim.toolCallId === "t");
    host.pass("over");
    await ann.has(({ claim }) => claim.kind === "session" && claim.toolCallId === undefined);
    expect(ann.state.claim).toEqual(sessionClaim(scene));
    host.pass("on");
  });
});
