// `holdfast doctor`: checks of this machine, and the command that fixes each problem (C70).
import type { Command } from "commander";
import type { Finding } from "../doctor/finding.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { type CommandContext, localCommand, type Runner } from "./command.ts";

interface DoctorOptions {
  readonly config?: string;
  readonly repair?: boolean;
}

/** Adds `doctor`, which needs no host and starts none. */
export function addDoctor(program: Command, run: Runner): void {
  localCommand(program, "doctor", "check this machine and suggest fixes")
    .option("--config <file>", "configuration file (default: config.jsonc in the home)")
    .option("--repair", "recover the readable part of a damaged database; stop the host first")
    .action(
      run(async (context, { config, repair }: DoctorOptions) => {
        if (repair === true) return repairDatabase(context);
        const { console } = context;
        const findings = await examine(context, config);
        const { reportLines } = await import("../doctor/finding.ts");
        const isWell = findings.every(({ state }) => state !== "fix");
        if (console.json) await console.printJson({ healthy: isWell, findings });
        else for (const line of reportLines(findings, console.paint)) await console.print(line);
        return isWell ? EXIT_CODES.done : EXIT_CODES.unwell;
      }),
    );
}

async function repairDatabase({ console, environment, home }: CommandContext): Promise<number> {
  const progress = console.progress("Checking the database");
  const { repairHome, repairLines } = await import("../doctor/repair.ts");
  const outcome = await repairHome(home, environment).finally(() => progress.close());
  if (console.json) await console.printJson(outcome);
  else for (const line of repairLines(outcome)) await console.print(line);
  return EXIT_CODES.done;
}

async function examine(
  { console, environment, home }: CommandContext,
  config: string | undefined,
): Promise<Finding[]> {
  const progress = console.progress("Checking this machine");
  // Much code that no other command needs.
  const { examineAll } = await import("../doctor/doctor.ts");
  const { Machine } = await import("../doctor/machine.ts");
  const machine = new Machine({ environment, home, config });
  try {
    return await examineAll(machine);
  } finally {
    await machine.close();
    progress.close();
  }
}
