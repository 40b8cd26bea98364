// Capabilities that a sandboxed root does not have.
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { Spawner } from "../process/spawner.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { recordRun } from "../testing/run-record.ts";
import { capabilityMask, forbiddenCapabilities } from "./capabilities.ts";

guardLeaks();

describe("capabilities", () => {
  it("[T646] are those that lead out of a sandbox, as far as the kernel has them", () => {
    expect(forbiddenCapabilities(40)).toEqual([
      2, 12, 13, 16, 17, 19, 21, 22, 25, 27, 30, 32, 33, 38, 39, 40,
    ]);
    expect(forbiddenCapabilities(37)).not.toContain(38);
    expect(capabilityMask([0, 1, 33])).toBe("200000003");
  });

  it.runIf(process.platform === "linux" && process.getuid?.() === 0)(
    "[T646] are lost for good, also by programs that would gain them",
    async () => {
      const spawner = new Spawner({ environment: process.env });
      onTestFinished(() => spawner.close());
      const sandbox = await spawner.openSandbox({
        level: "guard",
        hidden: [],
        visible: [],
        readOnly: [],
        writable: [],
      });
      const command = "su -s /bin/sh -c 'cat /proc/self/status' root | grep -E 'Cap(Prm|Eff|Bnd)'";
      const { run, record } = await recordRun(spawner, { command, sandbox: sandbox.id });
      await record.exited();
      const masks = record.text().match(/[0-9a-f]{16}/g) ?? [];
      const forbidden = BigInt(`0x${capabilityMask(forbiddenCapabilities())}`);
      expect(masks).toHaveLength(3);
      expect(masks.map((mask) => BigInt(`0x${mask}`) & forbidden)).toEqual([0n, 0n, 0n]);
      run.release();
    },
  );
});
