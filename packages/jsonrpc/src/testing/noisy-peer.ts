// A peer in a separate process: speaks NDJSON on stdio, prints noise between messages, floods when asked to.
import process from "node:process";
import { Connection, ndjsonFraming, RawJson, receiveFrom, streamSink } from "../index.ts";

const connection: Connection = new Connection({
  framing: ndjsonFraming(),
  sink: streamSink(process.stdout, () => process.exit(1)),
  source: process.stdin,
  cancelMethod: "$/cancel_request",
  requests: {
    echo: (params) => {
      console.log("noise before the answer\n\nand a blank line");
      return params;
    },
    huge: (params) => {
      const { sizeBytes } = params as { sizeBytes: number };
      return new RawJson([Buffer.from('"'), Buffer.alloc(sizeBytes, "a"), Buffer.from('"')]);
    },
    badText: () => new RawJson([Buffer.from([0x22, 0xc3, 0x28, 0xff, 0x22])]),
    flood: async (params) => {
      const { count } = params as { count: number };
      for (let index = 0; index < count; index += 1) {
        if (!connection.notify("update", { index })) await connection.drained();
      }
      return { count };
    },
    askBack: (params) => connection.request("question", params),
    waitForCancel: (_params, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reject(signal.reason as Error);
        });
      }),
    leave: () => {
      process.stdout.write('{"jsonrpc":"2.0","method":"update","params":{"index":-1}}', () =>
        process.exit(0),
      );
      return new Promise(() => undefined);
    },
  },
});
receiveFrom(process.stdin, connection);
