// Runs held in this process fulfil both contracts: of every process port, and of ports whose runs outlive their host.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Spawner } from "../process/spawner.ts";
import { heldRunsContract } from "../testing/held-runs-contract.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { processPortContract } from "../testing/process-port-contract.ts";
import { HeldRuns } from "./held-runs.ts";

guardLeaks();

processPortContract("held runs", () => new HeldRuns(new Spawner()).takeOver());

heldRunsContract("process itself", async (bounds) => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-held-"));
  const runs = new HeldRuns(new Spawner(), { bounds, folder });
  return {
    takeOver: async () => runs.takeOver(),
    close: async () => {
      await runs.close(200);
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
