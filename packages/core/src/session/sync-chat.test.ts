// A synchronous chat never waits for a person: what would be asked is refused at once and listed.
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask, askPermission, say } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[V5] without a policy a sync chat is refused with APPROVAL_POLICY_REQUIRED, and nothing is sent", async () => {
  const session = await newHost().open();
  await expect(session.chat("hi")).rejects.toMatchObject({ code: "APPROVAL_POLICY_REQUIRED", status: 400 });
  expect(session.agent.methods).not.toContain("session/prompt");
});

test("[V5] what the policy would ask is answered with a reject option, and listed as denied", async () => {
  const steps = [
    askPermission("look", { kind: "read", title: "Look" }),
    askPermission("run", { kind: "execute", title: "Tests", rawInput: { command: "npm test" } }),
    ask("made", "terminal/create", { command: "echo hi" }),
    ask("form", "elicitation/create", {
      mode: "form",
      message: "Which?",
      requestedSchema: { type: "object", properties: {} },
    }),
    say("That is all"),
  ];
  const host = newHost({ agents: { mine: { prompts: { go: steps } } } });
  const session = await host.open({ approvalPolicy: "approve-reads" });
  const response = await session.chat("go");
  expect(response).toMatchObject({
    text: "That is all",
    stop_reason: "end_turn",
    denied: [
      { action: "execute", kind: "execute", target: "npm test", title: "Tests", toolCallId: "run" },
      { action: "execute", target: "echo hi", toolCallId: expect.stringMatching(/^host-/) as string },
    ],
  });
  expect(await session.agent.result("look")).toMatchObject({ outcome: { optionId: "yes" } });
  expect(await session.agent.result("run")).toMatchObject({ outcome: { optionId: "no" } });
  expect((await session.agent.answer("made")).error).toMatchObject({ data: { code: "denied" } });
  expect(await session.agent.result("form")).toEqual({ action: "decline" });
  expect(session.state.inputNeeded).toEqual([]);
});

test("[V5] where the agent offers no reject option, it is answered as cancelled", async () => {
  const host = newHost({
    agents: {
      mine: {
        prompts: {
          go: [
            askPermission("call", { kind: "edit" }, [{ optionId: "yes", name: "Yes", kind: "allow_once" }]),
          ],
        },
      },
    },
  });
  const session = await host.open({ approvalPolicy: "approve-reads" });
  expect(await session.chat("go")).toMatchObject({ denied: [{ toolCallId: "call" }] });
  expect(await session.agent.result("call")).toEqual({ outcome: { outcome: "cancelled" } });
});

test("[V5] a policy's decisions are the same as for other turns; nothing denied means no list", async () => {
  const host = newHost({
    agents: { mine: { prompts: { go: [askPermission("call", { kind: "edit", title: "Edit" })] } } },
  });
  const allowing = await host.open({ approvalPolicy: "approve-all" });
  expect(await allowing.chat("go")).toEqual({ text: "", stop_reason: "end_turn" });
  const denying = await host.open({ approvalPolicy: "deny-all" });
  expect(await denying.chat("go")).toMatchObject({ denied: [{ title: "Edit" }] });
});

test("[V5] a cancelled sync chat says so", async () => {
  const host = newHost({ agents: { mine: { prompts: { long: [say("half"), { do: "hang" }] } } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const chatting = session.chat("long");
  await session.agent.heard("session/prompt");
  await session.cancel();
  expect(await chatting).toEqual({ text: "half", stop_reason: "cancelled" });
});
