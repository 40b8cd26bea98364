// A process port whose runs are all sandboxed fulfils the contract of every process port (T641), with each backend.
import { readFileSync } from "node:fs";
import process from "node:process";
import { describe } from "vitest";
import { forwardTo, type ProcessPort, type SandboxSpec } from "../process/port.ts";
import { Spawner } from "../process/spawner.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { keeperPort } from "../testing/test-keeper.ts";
import { processPortContract, type ToOuterPids } from "../testing/process-port-contract.ts";

guardLeaks();

const own = process.getuid?.() === 0 ? "bubblewrap-root" : "bubblewrap-user";
const guard: SandboxSpec = { level: "guard", hidden: [], visible: [], readOnly: [], writable: [] };
const workspace: SandboxSpec = { ...guard, level: "workspace", writable: ["/tmp", "/var/tmp"] };

/** The full matrix takes a minute for each row. */
const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const rows: readonly (readonly [string, SandboxSpec])[] = isLong
  ? ["", "+util-linux", "+shared", ...(process.getuid?.() === 0 ? [] : ["+util-linux+shared"])]
      .map((variant) => `${own}${variant}`)
      .concat("landlock")
      .flatMap((name) => [[name, guard] as const, [name, workspace] as const])
  : [[own, guard]];

/** A port that runs everything in one sandbox. */
async function sandboxedPort(
  name: string,
  spec: SandboxSpec,
  makePort: () => ProcessPort | Promise<ProcessPort>,
): Promise<ProcessPort> {
  process.env["HOLDFAST_SANDBOX_BACKENDS"] = name;
  const port = await makePort();
  delete process.env["HOLDFAST_SANDBOX_BACKENDS"];
  const { id } = await port.openSandbox(spec);
  return forwardTo(port, {
    start: (request, sink) => port.start({ ...request, sandbox: id }, sink),
  });
}

/** By the kernel's list of the PIDs that a process has, from the outermost namespace to its own. */
const toOuterPids: ToOuterPids = async (run, pids) => {
  const members = await run.members();
  return pids.map((inner) => {
    const outer = members.find(({ pid }) => innerPid(pid) === inner);
    if (outer === undefined) throw new Error(`no process of the run has PID ${inner} inside`);
    return outer.pid;
  });
};

function innerPid(pid: number): number | undefined {
  const line = /^NSpid:(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
  return line.trim().split(/\s+/).map(Number).at(-1);
}

describe.runIf(process.platform === "linux")("[T641] sandboxed runs", () => {
  for (const [name, spec] of rows) {
    const inline = (): Promise<ProcessPort> => sandboxedPort(name, spec, () => new Spawner());
    processPortContract(`${spec.level} by ${name}`, inline, toOuterPids);
    if (!isLong) continue;
    const keeper = (): Promise<ProcessPort> => sandboxedPort(name, spec, () => keeperPort());
    processPortContract(`${spec.level} by ${name}, with a keeper,`, keeper, toOuterPids);
  }
});
