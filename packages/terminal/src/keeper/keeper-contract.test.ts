// A keeper process fulfils both contracts: of every process port, and of ports whose runs outlive their host.
import { describe } from "vitest";
import { heldRunsContract } from "../testing/held-runs-contract.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { processPortContract } from "../testing/process-port-contract.ts";
import { keeperHosts, keeperPort } from "../testing/test-keeper.ts";

guardLeaks();

describe.skipIf(process.platform === "win32")("[K720] a keeper", () => {
  processPortContract("keeper's", () => keeperPort());
  heldRunsContract("keeper", async (bounds) => keeperHosts({ bounds }));
});
