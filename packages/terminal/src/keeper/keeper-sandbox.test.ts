// Sandboxes of a keeper: they keep their promises, outlive their host, and are opened again when the keeper dies.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ProcessPort, SandboxSpec } from "../process/port.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { recordRun, untilGone } from "../testing/run-record.ts";
import { checkSandbox, gapsOf } from "../testing/sandbox-checks.ts";
import { connectTo, keeperPid, makeHome } from "../testing/test-keeper.ts";
import { keeperStatus } from "./connect.ts";
import { FRAME } from "./frame.ts";
import { PROTOCOL_VERSION } from "./message.ts";
import { findPlace } from "./place.ts";

guardLeaks();

const backend = process.getuid?.() === 0 ? "bubblewrap-root" : "bubblewrap-user";
const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const spec: SandboxSpec = { level: "guard", hidden: [], visible: [], readOnly: [], writable: [] };

async function outputOf(port: ProcessPort, command: string, sandbox: string): Promise<string> {
  const { run, record } = await recordRun(port, { command, sandbox });
  await record.ended();
  run.release();
  return record.text();
}

describe.runIf(process.platform === "linux")("sandboxes of a keeper", () => {
  it.each(isLong ? [backend, `${backend}+util-linux`, "landlock"] : [backend])(
    "[K720] keep every promise with %s",
    async (name) => {
      const { results } = await checkSandbox(name, (home) => connectTo(home));
      const failed = Object.entries(results).filter(([, result]) => result !== true);
      expect(failed.map(([title]) => title)).toEqual(gapsOf(name));
    },
    90_000,
  );

  it("[K713] outlive their host: the next one finds them with their tag, and its runs join them", async () => {
    const home = makeHome();
    const first = await connectTo(home);
    const opened = await first.openSandbox(spec, "session 1");
    const other = await first.openSandbox(spec);
    const namespace = await outputOf(first, "readlink /proc/self/ns/mnt", opened.id);
    other.close();
    await first.detach();
    const second = await connectTo(home);
    const { sandboxes } = await second.held();
    expect(sandboxes).toMatchObject([{ tag: "session 1", spec, sandbox: { id: opened.id, level: "guard" } }]);
    expect(await outputOf(second, "readlink /proc/self/ns/mnt", opened.id)).toBe(namespace);
    // Of a host that is gone, nothing has an effect.
    opened.close();
    expect((await second.held()).sandboxes).toHaveLength(1);
    sandboxes[0]?.sandbox.close();
    expect((await second.held()).sandboxes).toEqual([]);
    await expect(recordRun(second, { command: "true", sandbox: opened.id })).rejects.toMatchObject({
      code: "not_supported",
    });
    await second.close();
  });

  it("[K725] are opened again when the keeper dies, under the ids that the host knows", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const { id } = await port.openSandbox(spec, "mine");
    const pid = keeperPid(port);
    process.kill(pid, "SIGKILL");
    await untilGone([pid]);
    await expect.poll(() => keeperPid(port)).not.toBe(pid);
    expect(await outputOf(port, "echo inside", id)).toBe("inside\n");
    expect(await keeperStatus(home)).toMatchObject({ sandboxes: [{ tag: "mine" }] });
    await port.close();
  });

  it("[K721] see nothing of the keeper", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const { id } = await port.openSandbox(spec);
    const { socket, lock } = findPlace(home);
    const look = `cat ${lock} ${socket} 2>&1; ls -A ${path.dirname(lock)} 2>/dev/null`;
    expect(await outputOf(port, look, id)).not.toMatch(/keeper\.(lock|sock)$/m);
    await port.close();
  });

  it("[K721][K733] cannot use the keeper, though Landlock lets them connect to its socket", async () => {
    const home = makeHome();
    const work = mkdtempSync(path.join(tmpdir(), "keeper-stranger-"));
    onTestFinished(() => rmSync(work, { recursive: true }));
    vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", "landlock");
    const port = await connectTo(home);
    vi.unstubAllEnvs();
    const sandbox = await port.openSandbox(spec);
    expect(sandbox.backend).toBe("landlock");
    const kept = await recordRun(port, { kind: "stdio", command: "cat" });
    const { socket, folder, home: realHome } = findPlace(home);
    const script = `const { connect } = require("node:net");
      const { appendFileSync, readFileSync } = require("node:fs");
      let key;
      try { key = readFileSync("${folder}/keeper.key", "utf8"); } catch {}
      for (const purpose of ["status", "host", "end"]) {
        const hello = { protocol: ${PROTOCOL_VERSION}, purpose, home: "${realHome}", pid: process.pid, key };
        const payload = Buffer.from(JSON.stringify(hello));
        const header = Buffer.alloc(18);
        header.writeUInt32BE(payload.length, 0);
        header[4] = ${FRAME.hello};
        const connection = connect("${socket}", () => connection.write(Buffer.concat([header, payload])));
        connection.once("data", (reply) => {
          appendFileSync("seen", purpose + (reply[4] === ${FRAME.refused} ? " refused," : " accepted,"));
          connection.destroy();
        });
      }`;
    const command = { command: process.execPath, args: ["-e", script], cwd: work, sandbox: sandbox.id };
    const { run } = await recordRun(port, command);
    // Not its output: an accepted stranger would have taken the run over.
    const seen = (): string[] => readFileSync(path.join(work, "seen"), "utf8").split(",").toSorted();
    await vi.waitFor(
      () => expect(seen()).toEqual(["", "end refused", "host refused", "status refused"]),
      10_000,
    );
    run.release();
    kept.run.write(Buffer.from("still here"));
    await kept.record.seen(/still here/);
    expect(await keeperStatus(home)).toMatchObject({ epoch: 1, hostPid: process.pid });
    await port.close();
  });
});
