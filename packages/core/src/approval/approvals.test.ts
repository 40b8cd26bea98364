// Permission requests of an agent on their way to a person and back.
import { makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { askOn, askPermission, OPTIONS, say, type Step, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const selected = (optionId: string): object => ({ outcome: { outcome: "selected", optionId } });
const permission = (name: string, toolCall: object = {}): Step =>
  askOn(name, "session/request_permission", {
    toolCall: { toolCallId: name, title: name, ...toolCall },
    options: OPTIONS,
  });

test.each([
  ["edit", [{ path: "/w/a.ts", line: 3 }, { path: "/w/b.ts" }], undefined, "/w/a.ts, /w/b.ts"],
  ["edit", [], undefined, "The agent does not say which file it will change"],
  ["execute", [{ path: "/w" }], undefined, "The agent does not say what it will run"],
  ["execute", [], { command: "rm -rf x" }, "rm -rf x"],
  ["execute", [], { command: ["/bin/zsh", "-lc", "rm -rf x"] }, "rm -rf x"],
  ["other", [], undefined, "Change it"],
])("[V301] the target of a %s at %j with %j is %s", async (kind, locations, rawInput, target) => {
  const asks = askPermission("call", { title: "Change it", kind, locations, rawInput });
  const host = newHost({ agents: { mine: { prompts: { go: [asks] } } } });
  const session = await host.open();
  const turn = session.stream("go");
  const approval = await turn.approval();
  expect(approval).toMatchObject({ action: kind, target, agentTitle: "Change it" });
  expect(session.toolCalls[0]?.invocationMessage).toBe(target);
  expect(session.resolve(approval.id, "no")).toEqual({ resolved: true });
  await turn.ended;
});

test("[V2, V604] a person sees what the agent asks, its options under labels of the host, and answers by an id", async () => {
  const asks = askPermission("call", {
    title: "rm -rf build",
    kind: "execute",
    rawInput: { command: "rm -rf build" },
  });
  const host = newHost({ agents: { mine: { prompts: { go: [asks, say("thanks")] } } } });
  const session = await host.open();
  const turn = session.stream("go");
  const approval = await turn.approval();
  expect(approval).toMatchObject({ action: "execute", target: "rm -rf build" });
  expect(approval.options).toEqual([
    { id: "yes", label: "Allow once", kind: "allow_once", agentLabel: "Yes" },
    { id: "yes-always", label: "Always allow", kind: "allow_always" },
    { id: "no", label: "Deny", kind: "reject_once", agentLabel: "No" },
  ]);
  expect(session.state.inputNeeded).toMatchObject([
    { kind: "toolConfirmation", id: approval.id, toolCall: { toolCallId: "call" } },
  ]);
  expect(session.agent.hasAnswer("call")).toBe(false);
  expect(session.resolve(approval.id, "yes-always")).toEqual({ resolved: true });
  // The host remembers it; the agent must go on asking.
  expect(await session.agent.result("call")).toEqual(selected("yes"));
  await turn.ended;
  expect(session.state.inputNeeded).toEqual([]);
  expect(session.toolCalls).toMatchObject([
    { decisions: [{ outcome: "approved", optionId: "yes-always", by: { kind: "client" } }] },
  ]);
});

test("[V2] a kind that one option has is a valid choice; the error for an unknown option lists the options there are", async () => {
  const host = newHost({ agents: { mine: { prompts: { go: [askPermission("call", {})] } } } });
  const session = await host.open();
  const turn = session.stream("go");
  const { id } = await turn.approval();
  expect(() => session.resolve(id, "approved")).toThrow(
    "There is no option 'approved'. Choose one of: yes, yes-always, no.",
  );
  expect(session.resolve(id, "reject_once")).toEqual({ resolved: true });
  expect(await session.agent.result("call")).toEqual(selected("no"));
  await turn.ended;
  expect(session.toolCalls).toMatchObject([{ status: "cancelled", reason: "denied" }]);
});

test("[V3] the first answer counts: a second one, a late one and one to nothing are not resolved, with a reason", async () => {
  const host = newHost({
    agents: { mine: { prompts: { go: [askPermission("call", {}), say("on"), { do: "hang" }] } } },
  });
  const session = await host.open();
  const turn = session.stream("go");
  const { id } = await turn.approval();
  expect(session.resolve(id, "yes")).toEqual({ resolved: true });
  const notOpen = { resolved: false, reason: expect.stringContaining("not open") as string };
  expect(session.resolve(id, "no")).toEqual(notOpen);
  expect(session.resolve("never-asked", "yes")).toEqual(notOpen);
  await session.cancel();
  expect(session.resolve(id, "yes")).toEqual(notOpen);
  expect(await session.agent.result("call")).toEqual(selected("yes"));
});

test("[A51] a request is found by its id alone, in the sessions of the caller", async () => {
  const host = newHost({ agents: { mine: { prompts: { go: [askPermission("call", {}), say("on")] } } } });
  await host.open();
  const session = await host.open();
  const turn = session.stream("go");
  const { id: requestId } = await turn.approval();
  const { approvals } = host.host;
  const notOpen = { resolved: false, reason: expect.stringContaining("not open") as string };
  const app = { kind: "app", appId: makeId("app", "a") } as const;
  expect(approvals.resolve(undefined, { requestId, optionId: "yes" }, app)).toEqual(notOpen);
  expect(approvals.resolve(undefined, { requestId: "never-asked", optionId: "yes" }, ME)).toEqual(notOpen);
  expect(approvals.resolve(undefined, { requestId, optionId: "yes" }, ME)).toEqual({ resolved: true });
  expect(await session.agent.result("call")).toEqual(selected("yes"));
  await turn.ended;
  expect(approvals.resolve(undefined, { requestId, optionId: "yes" }, ME)).toEqual(notOpen);
});

test("[V3] many may be open at once and are answered in any order", async () => {
  const names = Array.from({ length: 50 }, (_, index) => `call-${index}`);
  const steps = [
    ...names.map((name) => permission(name)),
    ...names.map((name) => ({ do: "await", name }) as const),
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  const turn = session.stream("go");
  await turn.approval(49);
  expect(session.state.inputNeeded).toHaveLength(50);
  for (const [index, { id }] of turn.approvals.toReversed().entries()) {
    session.resolve(id, index % 2 === 0 ? "yes" : "no");
  }
  expect(await turn.ended).toMatchObject({ type: "chat/turnComplete" });
  for (const [index, name] of names.toReversed().entries()) {
    expect(await session.agent.result(name)).toEqual(selected(index % 2 === 0 ? "yes" : "no"));
  }
});

test("[V3] requests for one tool call are asked one after the other, and none after a rejection", async () => {
  const names = ["first", "second", "third", "fourth"];
  const steps = [
    ...names.map((name) => permission(name, { toolCallId: "call" })),
    ...names.map((name) => ({ do: "await", name }) as const),
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  const turn = session.stream("go");
  for (const [index, name] of ["first", "second"].entries()) {
    const { id } = await turn.approval(index);
    expect(session.state.inputNeeded.map((needed) => needed.id)).toEqual([id]);
    expect(session.resolve(id, "yes")).toEqual({ resolved: true });
    expect(await session.agent.result(name)).toEqual(selected("yes"));
  }
  const { id } = await turn.approval(2);
  expect(session.resolve(id, "no")).toEqual({ resolved: true });
  for (const name of ["third", "fourth"]) expect(await session.agent.result(name)).toEqual(selected("no"));
  expect(await turn.ended).toMatchObject({ type: "chat/turnComplete" });
  expect(session.toolCalls).toMatchObject([{ status: "cancelled", reason: "denied" }]);
});

test("[V3] a request that is taken back while another for its call is open is never asked", async () => {
  const steps = [
    permission("first", { toolCallId: "call" }),
    permission("second", { toolCallId: "call" }),
    { do: "takeBack", name: "second" },
    say("taken back"),
    { do: "await", name: "first" },
    { do: "await", name: "second" },
  ] as const;
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  const turn = session.stream("go");
  const { id } = await turn.approval();
  await turn.until((action) => action.type === "chat/responsePart" && action.part.kind === "markdown");
  session.resolve(id, "yes");
  expect(await turn.ended).toMatchObject({ type: "chat/turnComplete" });
  expect(turn.approvals).toHaveLength(1);
  expect(session.toolCalls).toMatchObject([{ decisions: [{ approvalId: id, outcome: "approved" }] }]);
});

test("[V3] a session's answers are for its own questions, also where two agents give their calls the same name", async () => {
  const host = newHost({
    agents: {
      mine: { prompts: { go: [askPermission("call", {})] } },
      other: { prompts: { go: [askPermission("call", {})] } },
    },
  });
  const [asked, denying] = [
    await host.open(),
    await host.open({ agent_id: "other", approvalPolicy: "deny-all" }),
  ];
  const turn = asked.stream("go");
  const { id } = await turn.approval();
  await denying.turn("go");
  expect(await denying.agent.result("call")).toEqual(selected("no"));
  expect(asked.agent.hasAnswer("call")).toBe(false);
  expect(denying.resolve(id, "yes")).toMatchObject({ resolved: false });
  expect(asked.resolve(id, "yes")).toEqual({ resolved: true });
  expect(await asked.agent.result("call")).toEqual(selected("yes"));
});

test.each([
  ["a reject option", OPTIONS, selected("no"), "denied"],
  ["cancelled, where there is none", OPTIONS.slice(0, 2), { outcome: { outcome: "cancelled" } }, "cancelled"],
] as const)(
  "[V4] a question that nobody answers in time is answered with %s",
  async (_what, options, expected, outcome) => {
    const host = newHost({
      agents: { mine: { prompts: { go: [askPermission("call", {}, options)] } } },
      timeouts: { approvalMs: 30 },
    });
    const session = await host.open();
    const turn = await session.turn("go");
    const [approval] = turn.approvals;
    expect(Date.parse(approval?.expiresAt ?? "") - Date.parse(approval?.requestedAt ?? "")).toBe(30);
    expect(await session.agent.result("call")).toEqual(expected);
    expect(session.toolCalls[0]?.decisions).toMatchObject([{ outcome, by: { kind: "expiry" } }]);
    expect(host.host.audit.recent).toMatchObject([{ what: "approval", decision: "expired", by: "expiry" }]);
  },
);

test("[V4] by default a person has a day", async () => {
  const host = newHost({ agents: { mine: { prompts: { go: [askPermission("call", {})] } } } });
  const session = await host.open();
  const { requestedAt, expiresAt } = await session.stream("go").approval();
  expect(Date.parse(expiresAt ?? "") - Date.parse(requestedAt)).toBe(24 * 60 * 60 * 1000);
});

test.each([
  ["approve-all", ["yes", "yes", "yes"], []],
  ["deny-all", ["no", "no", "no"], ["denied", "denied", "denied"]],
] as const)("[V1, V606] under %s nobody is asked", async (approvalPolicy, answers, decisions) => {
  const kinds = ["read", "edit", "execute"];
  const host = newHost({
    agents: { mine: { prompts: { go: kinds.map((kind) => askPermission(kind, { kind })) } } },
  });
  const session = await host.open({ approvalPolicy });
  const turn = await session.turn("go");
  expect(await Promise.all(kinds.map((kind) => session.agent.result(kind)))).toEqual(answers.map(selected));
  expect(session.state.inputNeeded).toEqual([]);
  // A denial is part of its call, and no question that is answered already.
  expect(turn.approvals).toEqual([]);
  expect(session.toolCalls.flatMap((call) => call.decisions.map(({ outcome }) => outcome))).toEqual(
    decisions,
  );
});

test("[V1] under approve-reads reads are allowed, and a person is asked for the rest", async () => {
  const host = newHost({
    agents: {
      mine: {
        prompts: {
          go: [askPermission("look", { kind: "search" }), askPermission("run", { kind: "execute" })],
        },
      },
    },
  });
  const session = await host.open({ approvalPolicy: "approve-reads" });
  const turn = session.stream("go");
  const { id, target } = await turn.approval();
  expect([target, turn.approvals.length]).toEqual(["The agent does not say what it will run", 1]);
  expect(await session.agent.result("look")).toEqual(selected("yes"));
  session.resolve(id, "yes");
  await turn.ended;
  expect(await session.agent.result("run")).toEqual(selected("yes"));
  const people = session.toolCalls.map(({ decisions }) => decisions.map(({ by }) => by.kind));
  expect(people).toEqual([[], ["client"]]);
});

test("[V1] a policy that is changed holds from the next request on", async () => {
  const host = newHost({ agents: { mine: { prompts: { go: [askPermission("call", { kind: "edit" })] } } } });
  const session = await host.open({ approvalPolicy: "deny-all" });
  await session.patch({ approvalPolicy: "approve-all" });
  await session.turn("go");
  expect(await session.agent.result("call")).toEqual(selected("yes"));
});

test("[V12] a question that the agent takes back is open no more", async () => {
  const host = newHost({
    agents: {
      mine: {
        prompts: {
          go: [
            permission("call"),
            { do: "until", path: "gate" },
            { do: "takeBack", name: "call" },
            { do: "await", name: "call" },
          ],
        },
      },
    },
  });
  const session = await host.open();
  const turn = session.stream("go");
  const { id } = await turn.approval();
  host.pass("gate");
  await turn.ended;
  expect(session.resolve(id, "yes")).toMatchObject({ resolved: false });
  expect(session.state.inputNeeded).toEqual([]);
  expect(await session.agent.result("call")).toEqual({ outcome: { outcome: "cancelled" } });
});

test("[V12] the host's own question closes when the agent withdraws its request", async () => {
  const steps: Step[] = [
    askOn("made", "terminal/create", { command: "true" }),
    { do: "until", path: "gate" },
    { do: "takeBack", name: "made" },
    { do: "await", name: "made" },
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open({ approvalPolicy: "approve-reads" });
  const turn = session.stream("go");
  const { id } = await turn.approval();
  host.pass("gate");
  await turn.ended;
  expect(session.resolve(id, "allow")).toMatchObject({ resolved: false });
  expect((await session.agent.answer("made")).error).toBeDefined();
  expect(host.host.hub.list("terminal")).toEqual([]);
});

test("[V12] a question of an agent that dies is open no more", async () => {
  const host = newHost({
    agents: {
      mine: { prompts: { go: [permission("call"), { do: "until", path: "gate" }, { do: "exit", code: 1 }] } },
    },
  });
  const session = await host.open();
  const turn = session.stream("go");
  const { id } = await turn.approval();
  host.pass("gate");
  expect(await turn.ended).toMatchObject({ error: { code: "ACP_AGENT_EXITED" } });
  expect(session.resolve(id, "yes")).toMatchObject({ resolved: false });
  expect(session.state.inputNeeded).toEqual([]);
});

test("[V13] a call that was rejected or is done cannot be asked for again: nobody would see the question", async () => {
  const steps = [
    askPermission("rejected", { kind: "execute" }),
    { ...askPermission("again", { toolCallId: "rejected" }) },
    update("tool_call", { toolCallId: "done", title: "Done", status: "completed" }),
    askPermission("late", { toolCallId: "done" }),
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  const turn = session.stream("go");
  session.resolve((await turn.approval()).id, "no");
  expect(await turn.ended).toMatchObject({ type: "chat/turnComplete" });
  expect(await session.agent.result("again")).toEqual(selected("no"));
  expect(await session.agent.result("late")).toEqual(selected("no"));
  expect(turn.approvals).toHaveLength(1);
});

test("[V13] a running call may be asked for once more", async () => {
  const steps = [
    askPermission("first", { toolCallId: "call", kind: "execute" }),
    askPermission("second", { toolCallId: "call" }),
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open();
  const turn = session.stream("go");
  session.resolve((await turn.approval(0)).id, "yes");
  session.resolve((await turn.approval(1)).id, "no");
  await turn.ended;
  expect(await session.agent.result("second")).toEqual(selected("no"));
  expect(session.toolCalls).toMatchObject([{ decisions: [{ outcome: "approved" }, { outcome: "denied" }] }]);
});
