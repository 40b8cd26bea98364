// `holdfast doctor`: what is in force on this machine, and the command that mends what is not (C70).
import type { Command } from "commander";
import type { Finding } from "../doctor/finding.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { type CommandContext, localCommand, type Runner } from "./command.ts";

interface DoctorOptions {
  readonly config?: string;
}

/** Adds `doctor`, which needs no host and starts none. */
export function addDoctor(program: Command, run: Runner): void {
  localCommand(program, "doctor", "examine this machine, and name what mends what is missing")
    .option("--config <file>", "configuration file (default: config.jsonc in the home)")
    .action(
      run(async (context, { config }: DoctorOptions) => {
        const { console } = context;
        const findings = await examine(context, config);
        const { reportLines } = await import("../doctor/report.ts");
        const isWell = findings.every(({ state }) => state !== "mend");
        if (console.json) await console.printJson({ healthy: isWell, findings });
        else for (const line of reportLines(findings, console.paint)) await console.print(line);
        return isWell ? EXIT_CODES.done : EXIT_CODES.unwell;
      }),
    );
}

async function examine(
  { console, environment, home }: CommandContext,
  config: string | undefined,
): Promise<Finding[]> {
  const progress = console.progress("Examining this machine");
  // Much code that no other command needs.
  const { examineAll } = await import("../doctor/doctor.ts");
  const { Surroundings } = await import("../doctor/surroundings.ts");
  const surroundings = new Surroundings({ environment, home, config });
  try {
    return await examineAll(surroundings);
  } finally {
    await surroundings.close();
    progress.close();
  }
}
