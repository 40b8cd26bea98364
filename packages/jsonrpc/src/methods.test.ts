// The types of a connection: requests, notifications and handlers follow the declared methods.
import { describe, expect, expectTypeOf, it } from "vitest";
import { Connection } from "./connection.ts";
import { ndjsonFraming } from "./ndjson.ts";
import { RecordingSink } from "./testing/recording-sink.ts";
import type { Methods, RequestHandlers } from "./methods.ts";

type Agent = {
  requests: { "session/new": { params: { cwd: string }; result: { sessionId: string } } };
  notifications: { "session/cancel": { sessionId: string } };
};
type Client = {
  requests: { "fs/read": { params: { path: string }; result: { content: string } } };
  notifications: { "session/update": { text: string } };
};

describe("typed methods", () => {
  it("[J24] types params and results on both sides", async () => {
    const texts: string[] = [];
    const connection = new Connection<Client, Agent>({
      framing: ndjsonFraming(),
      sink: new RecordingSink(),
      requests: { "fs/read": ({ path }) => ({ content: path.toUpperCase() }) },
      notifications: { "session/update": ({ text }) => void texts.push(text) },
    });
    const created = connection.request("session/new", { cwd: "/" });
    expectTypeOf(created).toEqualTypeOf<Promise<{ sessionId: string }>>();
    expectTypeOf(connection.notify<"session/cancel">)
      .parameter(0)
      .toEqualTypeOf<"session/cancel">();
    expectTypeOf<RequestHandlers<Client>>().toHaveProperty("fs/read");
    expectTypeOf<Client>().toExtend<Methods>();
    connection.push('{"jsonrpc":"2.0","method":"session/update","params":{"text":"hi"}}\n');
    connection.push('{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}\n');
    const { sessionId } = await created;
    expect([texts, sessionId]).toEqual([["hi"], "s1"]);
  });
});
