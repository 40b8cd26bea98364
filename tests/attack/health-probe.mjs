// Measures how long `/healthz` takes, beside a bare server at the same moments; prints both lists of milliseconds at the end.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

if (process.argv[2] === "bare") {
  const server = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1", () => {
    process.send?.(server.address());
  });
  process.on("disconnect", () => process.exit(0));
} else {
  const bare = fork(process.argv[1] ?? "", ["bare"]);
  const [address] = /** @type {[{ port: number }]} */ (await once(bare, "message"));
  /** @type {Record<"host" | "bare", number[]>} */
  const taken = { host: [], bare: [] };
  const stopped = new AbortController();
  process.stdin.on("end", () => stopped.abort()).resume();
  while (!stopped.signal.aborted) {
    taken.host.push(await measure(`${process.argv[2]}/healthz`));
    taken.bare.push(await measure(`http://127.0.0.1:${address.port}/`));
    await sleep(5);
  }
  bare.disconnect();
  console.log(JSON.stringify(taken));
}

/** @param {string} url @returns {Promise<number>} */
function measure(url) {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume().on("end", () => resolve(performance.now() - startedMs));
    }).on("error", reject);
  });
}
