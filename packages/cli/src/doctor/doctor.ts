// `holdfast doctor`: all examinations, each in bounded time (C70).
import { messageOf } from "../command-error.ts";
import { examineAgents } from "./agents.ts";
import { examineBubblewrap, examineCgroups, examineIsolation, examineNamespaces } from "./isolation.ts";
import {
  examineAppIds,
  examineConfiguration,
  examineDatabaseFile,
  examineDisk,
  examineHome,
  examinePolicy,
  examineStorage,
  examineToken,
} from "./home.ts";
import { type Finding, fix, type CheckResult } from "./finding.ts";
import { examineHost, examinePage, examinePort } from "./host.ts";
import { examineKeeper } from "./keeper.ts";
import { examineLoginShell, examineNode, examinePty, examineShells } from "./terminals.ts";
import { type Machine, within } from "./machine.ts";

export interface Examination {
  readonly id: string;
  readonly title: string;
  readonly examine: (machine: Machine) => Promise<CheckResult | readonly Finding[]>;
}

/** Longer than the longest wait inside any of them. */
const examinationMs = 15_000;

/** All checks, in the order of the report. */
const allExaminations: readonly Examination[] = [
  { id: "node", title: "Node", examine: examineNode },
  { id: "home", title: "Home", examine: examineHome },
  { id: "config", title: "Configuration", examine: examineConfiguration },
  { id: "policy", title: "Policy", examine: examinePolicy },
  { id: "token", title: "Token", examine: examineToken },
  { id: "app-ids", title: "App ids", examine: examineAppIds },
  { id: "disk", title: "Disk", examine: examineDisk },
  { id: "storage", title: "Storage", examine: examineStorage },
  { id: "database", title: "Database", examine: examineDatabaseFile },
  { id: "page", title: "Page", examine: examinePage },
  { id: "port", title: "Port", examine: examinePort },
  { id: "host", title: "Host", examine: examineHost },
  { id: "keeper", title: "Keeper", examine: examineKeeper },
  { id: "pty", title: "Terminals", examine: examinePty },
  { id: "login-shell", title: "Login shell", examine: examineLoginShell },
  { id: "shells", title: "Shells", examine: examineShells },
  { id: "cgroups", title: "Cgroups", examine: examineCgroups },
  { id: "namespaces", title: "PID namespaces", examine: examineNamespaces },
  { id: "bubblewrap", title: "Bubblewrap", examine: examineBubblewrap },
  { id: "isolation", title: "Isolation", examine: examineIsolation },
  { id: "agents", title: "Agents", examine: (machine) => examineAgents(machine) },
];

/** Looks at everything; an examination that fails or hangs is a finding too. */
export async function examineAll(
  machine: Machine,
  examinations: readonly Examination[] = allExaminations,
  timeoutMs = examinationMs,
): Promise<Finding[]> {
  const findings = await Promise.all(
    examinations.map(async ({ id, title, examine }): Promise<readonly Finding[]> => {
      const result = await within(timeoutMs, examine(machine), () =>
        fix(`check timed out after ${timeoutMs / 1000} s`, { command: `holdfast doctor` }),
      ).catch((error: unknown) => unexaminable(error));
      return "state" in result ? [{ id, title, ...result }] : result;
    }),
  );
  return findings.flat();
}

function unexaminable(error: unknown): CheckResult {
  const words = messageOf(error);
  return fix(`check failed: ${words}`, {
    remedy: "Fix the problems above first, then run `holdfast doctor` again.",
  });
}
