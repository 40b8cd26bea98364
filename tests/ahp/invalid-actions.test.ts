// Dispatches that are not actions of any channel: their author learns what is wrong, in every dialect.
import { expect, test } from "vitest";
import { useServedHosts } from "./served-host.ts";
import type { WireClient } from "./wire-client.ts";

const serveHost = useServedHosts();

const versions = ["1.0.0", "0.9.0", "0.5.0", "holdfast"] as const;
const input = { type: "terminal/input", data: "echo lost\r" };
const missing = "ahp-terminal:/missing";

async function clientOf(version: string): Promise<WireClient> {
  const host = await serveHost();
  return host.client(
    version === "holdfast" ? { version: "1.0.0", meta: { holdfast: 1 } } : { version, clientId: "ada" },
  );
}

function send(client: WireClient, params: object): void {
  client.send({ jsonrpc: "2.0", method: "dispatchAction", params });
}

test.each(versions)(
  "[E832] an action that cannot be read is rejected for its author in %s",
  async (version) => {
    const client = await clientOf(version);
    const cases = [
      [{ channel: missing, clientSeq: 51, action: input }, "There is no channel ahp-terminal:/missing."],
      [{ channel: "ahp-root://", clientSeq: 52, action: {} }, "action.type: expected a string."],
      ...(version === "holdfast"
        ? []
        : ([
            [
              { channel: "ahp-root://", clientSeq: 54, action: input },
              "Clients cannot dispatch terminal/input on this channel.",
            ],
          ] as const)),
      [{ channel: "nowhere", clientSeq: 53, action: { type: 7 } }, "action.type: expected a string."],
    ] as const;
    for (const [params, reason] of cases) {
      send(client, params);
      const { clientSeq, action, channel } = params;
      const heard = await client.notified((each) => each.params?.origin?.clientSeq === clientSeq);
      expect(heard.params).toMatchObject({ channel, action, rejectionReason: reason });
    }
  },
);

test.each([...versions, "0.1.0"])(
  "[E832] a dispatch that cannot be answered gets an error in %s",
  async (version) => {
    const client = await clientOf(version);
    const channel = "ahp-root://";
    const cases = [
      [{ channel, clientSeq: "54", action: input }, "clientSeq"],
      [{ channel, clientSeq: -4, action: input }, "clientSeq"],
      [{ channel, clientSeq: 1.5, action: input }, "clientSeq"],
      [{ channel, action: input }, "clientSeq"],
      [{ channel, clientSeq: 53 }, "action"],
      ...(version === "0.1.0" ? [] : ([[{ clientSeq: 55, action: input }, "channel"]] as const)),
    ] as const;
    for (const [params] of cases) send(client, params);
    // What is sent afterwards is answered afterwards.
    await client.request("ping");
    await expect.poll(() => client.heard.filter(({ id }) => id === null).length).toBe(cases.length);
    const errors = client.heard.filter(({ id }) => id === null).map(({ error }) => error);
    for (const [index, [, field]] of cases.entries()) {
      expect(errors[index]).toMatchObject({
        code: -32602,
        message: expect.stringMatching(`^dispatchAction: ${field}: expected`) as string,
      });
    }
  },
);

test("[E832] an action of 0.1 that names no channel, or a terminal that does not exist, is rejected", async () => {
  const client = await clientOf("0.1.0");
  const cases = [
    [{}, "action.type: expected a string."],
    [input, "action: names neither a session nor a terminal."],
    [
      { ...input, terminal: "agenthost:/terminal/missing" },
      "There is no channel agenthost:/terminal/missing.",
    ],
  ] as const;
  for (const [index, [action, reason]] of cases.entries()) {
    client.dispatch(action, undefined, index + 1);
    const heard = await client.notified((each) => each.params?.origin?.clientSeq === index + 1);
    expect(heard.params).toMatchObject({ action, rejectionReason: reason });
  }
});

test.each([
  ["1.0.0", false],
  ["holdfast", true],
])(
  "[E77] an action for a chat that does not exist is ignored as AHP demands: in %s, answered: %s",
  async (version, isAnswered) => {
    const client = await clientOf(version);
    const action = { type: "chat/turnCancelled", turnId: "t1" };
    client.dispatch(action, "ahp-chat:/missing", 1);
    client.dispatch(input, missing, 2);
    await client.notified((each) => each.params?.origin?.clientSeq === 2);
    const answered = client.actions.some(({ origin }) => origin?.clientSeq === 1);
    expect(answered).toBe(isAnswered);
  },
);
