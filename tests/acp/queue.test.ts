// Messages that wait in the queue while another client changes their place, and the clients that sent them.
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { answer, say } from "../../packages/core/src/testing/script.ts";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";
import { type ServedHost, useServedHosts } from "../ahp/served-host.ts";
import { open, post, script } from "./scripted-editor.ts";

const serve = useServedHosts();

/** Makes the message that waits one for the running turn, or the reverse. */
async function move({ host }: ServedHost, sessionId: string, kind: "steering" | "queued"): Promise<void> {
  const chat = defaultChatUri(uriOfKey(sessionId));
  const { steeringMessage, queuedMessages } = host.hub.state(chat, "chat") ?? {};
  const pending = kind === "steering" ? queuedMessages?.[0] : steeringMessage;
  if (pending === undefined) throw new Error("no message waits");
  const clientId = makeId("client", "ann");
  const by = { actor: { kind: "client", clientId }, origin: { clientId, clientSeq: 1 } } as const;
  const submission = await host.submit(chat, { type: "chat/pendingMessageSet", kind, pending }, by);
  expect(submission).toMatchObject({ outcome: "accepted" });
}

it.each([
  ["one for the running turn", ["steering"]],
  ["one for the running turn, and queued again", ["steering", "queued"]],
] as const)(
  "[N850] the prompt of an editor and a stream get their turns when their message becomes %s",
  async (_what, kinds) => {
    const host = await serve({ script });
    const { editor, sessionId } = await open(host);
    const chat = defaultChatUri(uriOfKey(sessionId));
    const waiting = (): number => host.host.hub.state(chat, "chat")?.queuedMessages.length ?? 0;
    for (const send of [
      () => editor.prompt(sessionId, "hello"),
      async () => (await post(host, sessionId, "/chat/stream", { message: "hello", queue: true })).text(),
    ]) {
      await post(host, sessionId, "/chat/stream", { message: "hang" });
      const ended = send();
      await expect.poll(waiting).toBe(1);
      for (const kind of kinds) await move(host, sessionId, kind);
      await host.host.cancelTurn(sessionId, {}, { kind: "owner" });
      const end = await ended;
      expect(typeof end === "string" ? /"stopReason":"(\w+)"/.exec(end)?.[1] : end.stopReason).toBe(
        "end_turn",
      );
    }
    await expect.poll(() => editor.text).toBe("workingHello there.workingHello there.");
  },
);

it("[N871] the prompt of an editor and a stream end with the running turn that their message joins", async () => {
  const prompts = { hang: [say("working"), { do: "until", path: "gate" }, say("done")] };
  const host = await serve({ script: { steering: [answer({ outcome: "injected" })], prompts } });
  const { editor, sessionId } = await open(host);
  const chat = defaultChatUri(uriOfKey(sessionId));
  const ends: Promise<unknown>[] = [];
  await post(host, sessionId, "/chat/stream", { message: "hang" });
  await expect.poll(() => editor.text).toBe("working");
  for (const send of [
    () => editor.prompt(sessionId, "hello"),
    async () => (await post(host, sessionId, "/chat/stream", { message: "hello", queue: true })).text(),
  ]) {
    ends.push(send());
    await expect.poll(() => host.host.hub.state(chat, "chat")?.queuedMessages.length).toBe(1);
    await move(host, sessionId, "steering");
    await expect.poll(() => host.host.hub.state(chat, "chat")?.steeringMessage).toBeUndefined();
  }
  writeFileSync(path.join(host.work, "..", "gate"), "");
  const [prompted, streamed] = await Promise.all(ends);
  expect(prompted).toMatchObject({ stopReason: "end_turn" });
  expect(streamed).toContain("Sent to the running turn");
  expect(streamed).toContain('"text":"done"');
  expect(streamed).toContain('"stopReason":"end_turn"');
});
