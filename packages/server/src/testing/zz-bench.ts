import { spawn } from "node:child_process";
import { startServer } from "/work/main/packages/server/src/server.ts";
import { SmallHost } from "/work/main/packages/server/src/testing/small-host.ts";
const host = new SmallHost();
const server = await startServer({ host, token: "t", log: () => {}, listen: { host: "127.0.0.1", port: 0 } });
const { session_key: key } = await host.createSession({ agent_id: "shell" }, { kind: "owner" });
async function run(withClient: boolean, n: number) {
  let client: any;
  if (withClient) {
    client = spawn("curl", [
      "-sN",
      "-o",
      "/dev/null",
      "-H",
      "x-api-key: t",
      "-d",
      '{"message":"x"}',
      `${server.url}/sdk/acp/session/${key}/chat/stream`,
    ]);
    const before = host.turns.length;
    while (host.turns.length === before) await new Promise(setImmediate);
  } else {
    const t = host.streamTurn(key, { message: "x" }, { kind: "owner" }, () => {});
    t.chat.close();
    t.session.close();
  }
  const turn = host.lastTurn;
  turn.say("x");
  const c0 = process.cpuUsage();
  const t0 = performance.now();
  for (let i = 0; i < n; i += 200) {
    for (let k = 0; k < 200; k++) turn.say("some words here ");
    await new Promise(setImmediate);
  }
  turn.complete();
  if (client) {
    const code = await new Promise((r) => client.on("exit", r));
    if (code !== 0) console.log("curl", code);
  }
  const c = process.cpuUsage(c0);
  console.log(
    withClient ? "with client" : "without",
    ((c.user + c.system) / n).toFixed(2),
    "us/event",
    (performance.now() - t0).toFixed(0),
    "ms",
  );
}
await run(true, 100000);
await run(false, 100000);
await run(true, 300000);
await run(false, 300000);
// latency
const res = await fetch(`${server.url}/sdk/acp/session/${key}/chat/stream`, {
  method: "POST",
  headers: { "x-api-key": "t" },
  body: '{"message":"x"}',
});
const reader = res.body!.getReader();
const lat: number[] = [];
for (let i = 0; i < 500; i++) {
  const p = reader.read();
  const t = performance.now();
  host.lastTurn.say("x");
  await p;
  lat.push(performance.now() - t);
  await new Promise(setImmediate);
}
lat.sort((a, b) => a - b);
console.log("latency p50", lat[250]!.toFixed(3), "p99", lat[495]!.toFixed(3));
host.lastTurn.complete();
await server.close();
