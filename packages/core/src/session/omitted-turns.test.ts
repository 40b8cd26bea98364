// A long conversation: older turns leave the memory of the host while their session is in use, and are found again.
import { makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { estimateValueBytes } from "../channel/action-size.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import type { FakeSession } from "../testing/fake-session.ts";
import { say } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const turnCount = 40;
const answer = "x".repeat(16 * 1024);
const agents = { mine: { capabilities: { loadSession: true }, prompts: { "*": [say(answer)] } } };
const textOf = (number: number): string => `message ${number}`;
const texts = Array.from({ length: turnCount }, (_, index) => textOf(index + 1));

async function talkLong(session: FakeSession): Promise<void> {
  for (const text of texts) {
    await session.chat(text, { idempotencyKey: `key of ${text}` });
    expect(estimateValueBytes(session.chatState.turns)).toBeLessThanOrEqual(256 * 1024);
  }
}

test("[N420] a session in use keeps at most 256 KiB of ended turns in memory, and all of them can be read", async () => {
  const host = newHost({ agents, storage: new MemoryStorage() });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await talkLong(session);
  const { chatState } = session;
  expect(chatState.turns.length).toBeGreaterThanOrEqual(7);
  expect(chatState.turnsNextCursor).toBe(chatState.turns[0]?.id);
  const sessions = host.host.ahp.sessions;
  const read: string[] = [];
  let before: string | undefined;
  for (let hasMore = true; hasMore;) {
    const page = sessions.readTurns(chatState, before, 6);
    read.unshift(...(page?.turns ?? []).map(({ message }) => message.text));
    before = page?.turns[0]?.id;
    hasMore = page?.hasMore === true;
  }
  expect(read).toEqual(texts);
  expect(sessions.readTurns(chatState, "unknown", 6)).toBeUndefined();
});

test("[N421] a message whose turn left memory is still known by its name, before and after a restart", async () => {
  const storage = new MemoryStorage();
  const host = newHost({ agents, storage });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await talkLong(session);
  const chat = session.chatState.resource;
  const first = storage.findOmittedTurn(chat, { requestKey: `key of ${textOf(1)}` });
  if (first === undefined) throw new Error("the first turn left the state");
  const check = async ({ host: each }: typeof host): Promise<void> => {
    const again = { message: textOf(1), idempotencyKey: `key of ${textOf(1)}` };
    expect(await each.chat(session.key, again, ME)).toMatchObject({ text: answer });
    await expect(each.chat(session.key, { ...again, message: "other" }, ME)).rejects.toMatchObject({
      code: "IDEMPOTENCY_CONFLICT",
    });
    expect(each.ahp.sessions.findTurn(chat, first.id)).toEqual(first);
    const message = { text: "once more", origin: { kind: "user" } } as const;
    const action = { type: "chat/turnStarted", turnId: first.id, startedAt: "", message } as const;
    const origin = { clientId: makeId("client", "c"), clientSeq: 1 };
    // The turn is there already: nothing is started.
    expect(
      each.submit(chat, action, { actor: { kind: "client", clientId: origin.clientId }, origin }),
    ).toEqual({ outcome: "accepted" });
    expect(each.hub.state(chat, "chat")?.activeTurn).toBeUndefined();
  };
  await check(host);
  await host.host.close();
  await check(newHost({ agents, storage }));
});
