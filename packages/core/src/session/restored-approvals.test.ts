// Questions that outlive their host: what changed since does not decide them.
import type { Approval } from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import type { WaitingQuestion } from "../approval/approvals.ts";
import { until } from "../testing/agent-record.ts";
import { ME } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { type Restarts, useRestarts } from "../testing/restarts.ts";
import { askOn, say, type Step } from "../testing/script.ts";

const newRestarts = useRestarts();

function sessionOf(restarts: Restarts, key: string): FakeSession {
  return new FakeSession(restarts.host, key, restarts.heard);
}

function send(restarts: Restarts, key: string, message: string): void {
  restarts.host.streamTurn(key, { message }, ME, () => undefined);
}

function waiting(restarts: Restarts): WaitingQuestion[] | undefined {
  const questions = restarts.host.approvals.list(ME);
  return questions.length === 0 ? undefined : questions;
}

function permissionOf(questions: readonly WaitingQuestion[], key: string): Approval {
  const found = questions.find(({ sessionKey }) => sessionKey === key);
  return found?.kind === "permission" ? found.toolCall.approval : expect.fail("No permission is pending");
}

/** Allows the question of another session for always, in the folder of both. */
async function allowInFolder(restarts: Restarts, asking: string): Promise<void> {
  const key = await restarts.open({ approvalPolicy: "ask" });
  send(restarts, key, "go");
  const questions = await until(() => waiting(restarts)?.length === 2 && waiting(restarts));
  const { id, options } = permissionOf(questions, key);
  const optionId = options.find(({ kind }) => kind === "allow_always")?.id ?? "";
  restarts.host.approvals.resolve(key, { requestId: id, optionId, scope: "folder" }, ME);
  await restarts.heard.answer("asked");
  expect(waiting(restarts)?.map(({ sessionKey }) => sessionKey)).toEqual([asking]);
}

const run = { command: "echo ran" };
const offered = ["allow_once", "allow_always", "reject_once"].map((kind) => ({
  optionId: kind,
  name: kind,
  kind,
}));
const asked = { toolCallId: "asked", kind: "execute", title: "Echo", rawInput: run };
const asking = {
  "an agent's request": askOn("asked", "session/request_permission", { toolCall: asked, options: offered }),
  "a command": askOn("asked", "terminal/create", run),
};

describe.each(["an agent's request", "a command"] as const)("%s that was asked about", (what) => {
  test.each(["approve-all", "deny-all", "rule"] as const)(
    "[R860] is decided as before a restart, although %s would decide it now",
    async (change) => {
      const more: Step[] = [{ do: "until", path: "more" }, say("more "), { do: "await", name: "asked" }];
      const restarts = newRestarts({ script: { prompts: { "*": [asking[what], ...more, say("Done")] } } });
      await restarts.start();
      const key = await restarts.open({ approvalPolicy: "ask" });
      send(restarts, key, "go");
      const before = permissionOf(await until(() => waiting(restarts)), key);
      if (change === "rule") await allowInFolder(restarts, key);
      else await restarts.host.patchSession(key, { approvalPolicy: change }, ME);
      const earlierAnswers = restarts.heard.answers("asked");
      await restarts.start();
      restarts.pass("more");
      // The request has been handled again.
      await until(() => JSON.stringify(sessionOf(restarts, key).chatState.activeTurn).includes("more "));
      expect(restarts.heard.answers("asked")).toEqual(earlierAnswers);
      expect(waiting(restarts)?.map(() => permissionOf(waiting(restarts) ?? [], key))).toEqual([before]);
      const optionId = before.options.find(({ kind }) => kind === "reject_once")?.id ?? "";
      expect(restarts.host.approvals.resolve(key, { requestId: before.id, optionId }, ME)).toEqual({
        resolved: true,
      });
      await until(() => sessionOf(restarts, key).chatState.activeTurn === undefined);
      const [answered, ...others] = restarts.heard.answers("asked").slice(earlierAnswers.length);
      expect(others).toEqual([]);
      const denied = { code: "denied" };
      const refused = { result: { outcome: { outcome: "selected", optionId: "reject_once" } } };
      expect(answered).toMatchObject(what === "a command" ? { error: { data: denied } } : refused);
      const audit = restarts.storage.audit.read({ what: "approval" }).map(({ entry }) => entry);
      expect(audit.filter(({ session }) => session === key)).toMatchObject([
        { decision: "denied", outcome: optionId },
      ]);
    },
  );
});
