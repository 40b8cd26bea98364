// Claims on an agent's terminals, with two clients: taking over, giving back, detaching, background work, reclaiming.
import { makeId } from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { until } from "../testing/agent-record.ts";
import { findByArgument, guardLeaks, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { create, gate, id, rejected, type Scene, scenes, wait } from "../testing/terminal-scene.ts";
import { ask, askOn, say } from "../testing/script.ts";
import type { WatchingClient } from "../testing/terminal-viewer.ts";

guardLeaks();
const newHost = useFakeHosts();
const play = scenes(newHost);

function listed({ host }: Scene): unknown {
  return host.host.hub.list("root")[0]?.state.terminals.map(({ claim }) => claim);
}

const sessionClaim = (scene: Scene) => {
  const { resource, defaultChat } = scene.session.state;
  return { kind: "session", session: resource, chat: defaultChat ?? expect.fail() } as const;
};
const heldBy = (client: WatchingClient) => ({ kind: "client", clientId: client.clientId });

describe("[U13] take over", () => {
  const steps = [create("read word; echo got $word; read more"), wait, gate("on")];

  test("[U13] input before it is refused with what to do; after it, it reaches the program, from the holder alone", async () => {
    const scene = await play(steps);
    const { ann, ben, session, host } = scene;
    expect((await ann.next()).claim).toMatchObject({ ...sessionClaim(scene), turnId: scene.turn.turnId });
    expect(ann.type("x\n")).toEqual(rejected(/Take it over first/));
    expect(ann.submit({ type: "terminal/resized", cols: 90, rows: 20 })).toEqual(rejected(/Take it over/));
    expect(ann.claim()).toMatchObject({ outcome: "accepted", entry: { origin: { clientId: "ann" } } });
    expect((await ben.next()).claim).toEqual(heldBy(ann));
    expect(ben.type("y\n")).toEqual(rejected(/Another client holds/));
    expect(ann.submit({ type: "terminal/resized", cols: 90, rows: 20 })).toMatchObject({
      outcome: "accepted",
    });
    expect((await ben.next()).size).toEqual({ cols: 90, rows: 20 });
    expect(ann.type("hello\n")).toEqual({ outcome: "accepted" });
    await ben.sees("got hello");
    expect(ben.actionTypes).not.toContain("terminal/input");
    await until(() => JSON.stringify(listed(scene)) === JSON.stringify([heldBy(ann)]));
    expect(session.agent.hasAnswer("wait")).toBe(false);
    host.pass("on");
  });

  test("[U13] the agent's wait stays pending until the exit, its output still answers, its kill is rejected", async () => {
    const scene = await play([
      create("echo there; read word; exit 3"),
      wait,
      gate("taken"),
      { do: "poll", ...id, text: "there" },
      ask("kill", "terminal/kill", id),
      gate("on"),
      ask("output", "terminal/output", id),
      { do: "await", name: "wait" },
    ]);
    const { ann, host, session } = scene;
    ann.claim();
    host.pass("taken");
    expect((await session.agent.answer("kill")).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/A person has taken over/) as string,
    });
    expect(session.agent.hasAnswer("wait")).toBe(false);
    ann.type("x\n");
    await ann.has(({ lifecycle }) => lifecycle.status === "exited");
    host.pass("on");
    expect(await session.agent.result("wait")).toEqual({ exitCode: 3, signal: null });
    expect(await session.agent.result("output")).toMatchObject({ exitStatus: { exitCode: 3 } });
    await scene.turn.ended;
  });

  test("[U13] its release only drops the agent's handle, and the end of the turn changes nothing", async () => {
    const seconds = uniqueSeconds();
    const scene = await play([
      create(`exec sleep ${seconds}`),
      gate("taken"),
      ask("release", "terminal/release", id),
      ask("output", "terminal/output", id),
    ]);
    scene.ann.claim();
    scene.host.pass("taken");
    await scene.turn.ended;
    expect((await scene.session.agent.answer("output")).error?.code).toBe(-32002);
    expect(findByArgument(seconds)).toHaveLength(1);
    expect((await scene.ben.next()).claim).toEqual(heldBy(scene.ann));
    expect(scene.session.chatState.backgroundWork).toEqual([]);
  });

  test("[U13] what was taken over outlives its session, and belongs to nobody's session then", async () => {
    const scene = await play([create("echo on; read word; echo got $word")]);
    const { ann, session, host, uri } = scene;
    ann.claim();
    const claim = sessionClaim(scene);
    await session.close();
    expect(ann.type("hello\n")).toEqual({ outcome: "accepted" });
    await ann.sees("got hello");
    expect(ann.claim(claim)).toEqual(rejected(/no such session/));
    await host.terminals.dispose(uri);
    expect(host.host.hub.has(uri)).toBe(false);
  });

  test("[U13] a command without a screen cannot be taken over", async () => {
    const scene = await play([create("exec sleep 60", {}), gate("on")]);
    expect(scene.ann.claim()).toEqual(rejected(/without a pseudo-terminal/));
    expect(scene.ann.type("x")).toEqual(rejected(/without a pseudo-terminal/));
  });
});

describe("[U781] the size of a terminal that was taken over", () => {
  const small = { cols: 40, rows: 12 };
  const started = { cols: 120, rows: 30 };

  test("[U781] is the one that it was started with, when it is handed back", async () => {
    const scene = await play([create("exec sleep 60"), gate("on")]);
    const { ann, ben } = scene;
    expect((await ben.next()).size).toEqual(started);
    ann.claim();
    ann.submit({ type: "terminal/resized", ...small });
    expect((await ben.next()).size).toEqual(small);
    ann.claim(sessionClaim(scene));
    expect(await ben.next()).toMatchObject({ size: started, claim: { kind: "session" } });
  });

  test("[U781] returns when its holder stays away, and not before", async () => {
    const timeouts = { goneSizeMs: 200 };
    const { ann, ben, host } = await play([create("exec sleep 60"), gate("on")], {}, { timeouts });
    ann.claim();
    ann.submit({ type: "terminal/resized", ...small });
    host.terminals.clientGone(ann.clientId);
    host.terminals.clientBack(ann.clientId);
    expect((await ben.next()).size).toEqual(small);
    host.terminals.clientGone(ann.clientId);
    expect((await ben.next()).size).toEqual(small);
    await ben.has(({ size }) => size?.cols === started.cols);
    expect(ben.actionTypes.filter((type) => type === "terminal/resized")).toHaveLength(2);
    host.terminals.clientBack(ann.clientId);
    expect(ann.submit({ type: "terminal/resized", ...small })).toMatchObject({ outcome: "accepted" });
  });
});

describe("[U14] two clients that claim at once", () => {
  test("[U14] the second is rejected, with a reason", async () => {
    const { ann, ben } = await play([create("exec sleep 60"), gate("on")]);
    expect(ann.claim()).toMatchObject({ outcome: "accepted" });
    expect(ben.claim()).toEqual(rejected(/Another client holds/));
    await ben.next();
    expect(ben.actionTypes.filter((type) => type === "terminal/claimed")).toHaveLength(1);
    expect(ann.claim(heldBy(ben) as never)).toMatchObject({ outcome: "accepted" });
    expect(ann.claim()).toEqual(rejected(/Another client holds/));
    expect(ben.type("x")).toEqual({ outcome: "accepted" });
  });
});

describe("[U15] give back", () => {
  test("[U15] restores turn and tool call while that turn runs; then the exit answers the wait", async () => {
    const scene = await play([create("read word; exit 5"), wait, gate("on"), { do: "await", name: "wait" }]);
    const { ann, ben, session } = scene;
    const before = (await ann.next()).claim;
    expect(before).toMatchObject({ turnId: scene.turn.turnId });
    ann.claim();
    ann.type("x");
    expect(ann.claim(sessionClaim(scene))).toMatchObject({ outcome: "accepted" });
    expect((await ben.next()).claim).toEqual(before);
    expect(ann.type("y")).toEqual(rejected(/Take it over/));
    expect(session.agent.hasAnswer("wait")).toBe(false);
    ben.claim();
    ben.type("\n");
    ben.claim(sessionClaim(scene));
    scene.host.pass("on");
    expect(await session.agent.result("wait")).toEqual({ exitCode: 5, signal: null });
    await scene.turn.ended;
  });

  test("[U15] after the turn it is background work of the session", async () => {
    const scene = await play([create("exec sleep 60")]);
    const { ann, ben, session } = scene;
    ann.claim();
    await scene.turn.ended;
    expect(session.chatState.backgroundWork).toEqual([]);
    ann.claim(sessionClaim(scene));
    expect((await ben.next()).claim).toEqual(sessionClaim(scene));
    expect(session.chatState.backgroundWork).toMatchObject([{ kind: "shell", terminal: scene.uri }]);
    ben.claim();
    expect(session.chatState.backgroundWork).toEqual([]);
  });
});

describe("[U16] detach", () => {
  test("[U16] pending waits are answered without a status at once, and the command continues in the background", async () => {
    const seconds = uniqueSeconds();
    const scene = await play([
      create(`echo up; exec sleep ${seconds}`, {}),
      wait,
      say("It runs"),
      { do: "await", name: "wait" },
      ask("again", "terminal/wait_for_exit", id),
      ask("output", "terminal/output", id),
      ask("release", "terminal/release", id),
    ]);
    const { ann, ben, session } = scene;
    await scene.turn.until(({ type }) => type === "chat/responsePart");
    expect(session.agent.hasAnswer("wait")).toBe(false);
    expect(ben.claim(sessionClaim(scene))).toMatchObject({ outcome: "accepted" });
    await scene.turn.ended;
    for (const name of ["wait", "again"]) {
      expect(await session.agent.result(name)).toEqual({ exitCode: null, signal: null });
    }
    expect(await session.agent.result("output")).not.toHaveProperty("exitStatus");
    expect((await ann.next()).claim).toEqual(sessionClaim(scene));
    expect(findByArgument(seconds)).toHaveLength(1);
    expect(session.chatState.backgroundWork).toMatchObject([
      { terminal: scene.uri, command: ann.state.title },
    ]);
    await session.close();
    expect(await untilGone(seconds)).toEqual([]);
  });
});

describe("[U17] background work", () => {
  test("[U17] what a turn leaves running is narrowed to its session and listed, until it ends", async () => {
    const scene = await play([create("read word"), gate("on")]);
    const { ann, session, host } = scene;
    expect(session.chatState.backgroundWork).toEqual([]);
    host.pass("on");
    await scene.turn.ended;
    await until(() => session.chatState.backgroundWork.length === 1);
    expect((await ann.next()).claim).toEqual(sessionClaim(scene));
    expect(session.chatState.backgroundWork).toMatchObject([
      { kind: "shell", label: "read word", command: "read word", terminal: scene.uri },
    ]);
    ann.claim();
    ann.claim(sessionClaim(scene));
    expect(session.chatState.backgroundWork).toHaveLength(1);
    ann.claim();
    ann.type("\n");
    ann.claim(sessionClaim(scene));
    await until(() => session.chatState.backgroundWork.length === 0);
  });

  test("[U17] after the host was killed, nothing that ended with it is listed", async () => {
    const storage = new MemoryStorage();
    const fake = newHost({ agents: { mine: { prompts: { go: [create("exec sleep 60")] } } }, storage });
    const session = await fake.open({ approvalPolicy: "approve-all" });
    await session.turn("go");
    await until(() => session.chatState.backgroundWork.length === 1);
    await fake.host.hub.settled();
    const kept = structuredClone(storage.loadChannel(session.chatState.resource));
    expect(kept).toMatchObject({ state: { backgroundWork: [{ kind: "shell" }] } });
    // A host that recovers the storage while the other still runs sees what one after a kill would see.
    const next = newHost({ agents: { mine: {} }, storage });
    await next.host.hub.settled();
    expect(storage.loadChannel(session.chatState.resource)).toMatchObject({ state: { backgroundWork: [] } });
  });

  test("[U17] a command that has ended, or was released, is no background work", async () => {
    const scene = await play([
      create("true", {}),
      ask("exit", "terminal/wait_for_exit", id),
      create("exec sleep 60", {}),
      ask("release", "terminal/release", id),
    ]);
    await scene.turn.ended;
    expect(scene.session.chatState.backgroundWork).toEqual([]);
  });
});

describe("[U18] reclaim", () => {
  for (const method of ["output", "wait_for_exit", "kill"]) {
    test(`[U18] the agent's next ${method} in a later turn claims it with that turn again`, async () => {
      const scene = await play([create("exec sleep 60", {})], {
        next: [askOn("use", `terminal/${method}`, id), gate("on")],
      });
      const { ann, session, host } = scene;
      await scene.turn.ended;
      await ann.has(({ claim }) => claim.kind === "session" && claim.turnId === undefined);
      const next = session.stream("next");
      // A killed command exits at once, and its terminal has no turn any more (U320).
      await ann.has(
        ({ claim, lifecycle }) =>
          (claim.kind === "session" && claim.turnId === next.turnId) ||
          (method === "kill" && lifecycle.status === "exited"),
      );
      const claims = ann.actions.flatMap((action) =>
        action.type === "terminal/claimed" ? [action.claim] : [],
      );
      expect(claims).toContainEqual(expect.objectContaining({ kind: "session", turnId: next.turnId }));
      expect(session.chatState.backgroundWork).toEqual([]);
      host.pass("on");
      await next.ended;
      if (method === "kill") return;
      await until(() => session.chatState.backgroundWork.length === 1);
    });
  }

  test("[U18] in the turn from which it was detached it stays so; a wait in a later one waits again", async () => {
    const scene = await play(
      [
        create("read word; exit 7"),
        wait,
        { do: "await", name: "wait" },
        ask("output", "terminal/output", id),
      ],
      { next: [askOn("late", "terminal/wait_for_exit", id), gate("on"), { do: "await", name: "late" }] },
    );
    const { ann, ben, session, host } = scene;
    ben.claim(sessionClaim(scene));
    await scene.turn.ended;
    expect((await ann.next()).claim).toEqual(sessionClaim(scene));
    const next = session.stream("next");
    await ann.has(({ claim }) => claim.kind === "session" && claim.turnId === next.turnId);
    expect(session.agent.hasAnswer("late")).toBe(false);
    ann.claim();
    ann.type("\n");
    host.pass("on");
    expect(await session.agent.result("late")).toEqual({ exitCode: 7, signal: null });
  });
});

describe("[U19] the app API", () => {
  test("[U19] types and resizes by the same rules, and says what to do", async () => {
    const { ann, host, session, turn } = await play([
      create("read word; echo got $word; read more"),
      gate("on"),
    ]);
    const [{ id: terminalId } = expect.fail()] = host.host.terminals.list(ME, session.key);
    const input = (): Promise<void> => host.host.terminals.write(terminalId, Buffer.from("hello\n"), ME);
    const notHeld = { code: "TERMINAL_NOT_HELD", message: expect.stringMatching(/\/claim/) as string };
    await expect(input()).rejects.toMatchObject(notHeld);
    await expect(host.host.terminals.resize(terminalId, { cols: 9, rows: 9 }, ME)).rejects.toMatchObject(
      notHeld,
    );
    ann.claim();
    await expect(host.host.terminals.claim(terminalId, { kind: "client" }, ME)).rejects.toMatchObject({
      code: "TERMINAL_NOT_HELD",
      message: expect.stringMatching(/Another client/) as string,
    });
    ann.claim({ kind: "session", session: session.state.resource, chat: session.chatState.resource });
    const taken = await host.host.terminals.claim(terminalId, { kind: "client" }, ME);
    expect(taken).toMatchObject({ id: terminalId, session_key: null });
    expect((await ann.next()).claim).toEqual({ kind: "client", clientId: "owner" });
    expect(ann.type("x")).toEqual(rejected(/Another client/));
    await input();
    await ann.sees("got hello");
    expect(await host.host.terminals.resize(terminalId, { cols: 9, rows: 9 }, ME)).toEqual({
      cols: 9,
      rows: 9,
    });
    expect(await host.host.terminals.claim(terminalId, { kind: "session" }, ME)).toMatchObject({
      session_key: session.key,
    });
    expect((await ann.next()).claim).toMatchObject({ turnId: turn.turnId });
    await host.host.terminals.claim(terminalId, { kind: "session" }, ME);
    expect((await ann.next()).claim).toEqual({
      kind: "session",
      session: session.state.resource,
      chat: session.chatState.resource,
    });
  });

  test("[U19] an app holds what it took over, and still sees what its agent made while a person has it", async () => {
    const ceiling = { policy: "approve-all" } as const;
    const app = { kind: "app", appId: makeId("app", "a"), ceiling } as const;
    const stranger = { kind: "app", appId: makeId("app", "owner") } as const;
    const fake = newHost({ agents: { mine: { prompts: { go: [create("read word; read more")] } } } });
    const options = { agent_id: "mine", approvalPolicy: "approve-all", cwd: fake.work } as const;
    const { host } = fake;
    const { session_key: key } = await host.createSession(options, app);
    await host.chat(key, { message: "go" }, app);
    const [{ id: terminalId } = expect.fail()] = host.terminals.list(app);
    await host.terminals.claim(terminalId, { kind: "client" }, app);
    await host.terminals.write(terminalId, Buffer.from("x\n"), app);
    await expect(host.terminals.write(terminalId, Buffer.from("y\n"), ME)).rejects.toMatchObject({
      code: "TERMINAL_NOT_HELD",
    });
    await host.terminals.claim(terminalId, { kind: "session" }, app);
    await host.terminals.claim(terminalId, { kind: "client" }, ME);
    expect(host.terminals.list(app)).toMatchObject([{ id: terminalId, session_key: null }]);
    expect(host.terminals.list(stranger)).toEqual([]);
    await expect(host.terminals.claim(terminalId, { kind: "client" }, stranger)).rejects.toMatchObject({
      code: "TERMINAL_NOT_FOUND",
    });
  });
});
