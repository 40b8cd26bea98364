// `holdfast doctor`: all examinations, each in bounded time (C70).
import { examineAgents } from "./agents.ts";
import { examineBubblewrap } from "./bubblewrap.ts";
import { examineCgroups } from "./cgroups.ts";
import { examineConfiguration } from "./configuration.ts";
import { examineDisk } from "./disk.ts";
import type { Finding, Verdict } from "./finding.ts";
import { mend } from "./finding.ts";
import { examineHome } from "./home.ts";
import { examineHost } from "./host.ts";
import { examineLoginShell } from "./login-shell.ts";
import { examineNamespaces } from "./namespaces.ts";
import { examineNode } from "./node.ts";
import { examinePage } from "./page.ts";
import { examinePort } from "./port.ts";
import { examinePty } from "./pty.ts";
import { examineShells } from "./shells.ts";
import { examineStorage } from "./storage.ts";
import type { Surroundings } from "./surroundings.ts";
import { examineToken } from "./token.ts";
import { within } from "./within.ts";

/** One subject, and what looks at it. */
export interface Examination {
  readonly id: string;
  readonly title: string;
  readonly examine: (surroundings: Surroundings) => Promise<Verdict | readonly Finding[]>;
}

/** Longer than the longest wait inside any of them. */
const examinationMs = 15_000;

/** Everything that is looked at, in the order in which it is told. */
const allExaminations: readonly Examination[] = [
  { id: "node", title: "Node", examine: examineNode },
  { id: "home", title: "Home", examine: examineHome },
  { id: "config", title: "Configuration", examine: examineConfiguration },
  { id: "token", title: "Token", examine: examineToken },
  { id: "disk", title: "Disk", examine: examineDisk },
  { id: "storage", title: "Storage", examine: examineStorage },
  { id: "page", title: "Page", examine: examinePage },
  { id: "port", title: "Port", examine: examinePort },
  { id: "host", title: "Host", examine: examineHost },
  { id: "pty", title: "Terminals", examine: examinePty },
  { id: "login-shell", title: "Login shell", examine: examineLoginShell },
  { id: "shells", title: "Shells", examine: examineShells },
  { id: "cgroups", title: "Cgroups", examine: examineCgroups },
  { id: "namespaces", title: "PID namespaces", examine: examineNamespaces },
  { id: "bubblewrap", title: "Bubblewrap", examine: examineBubblewrap },
  { id: "agents", title: "Agents", examine: (surroundings) => examineAgents(surroundings) },
];

/** Looks at everything; an examination that fails or hangs is a finding too. */
export async function examineAll(
  surroundings: Surroundings,
  examinations: readonly Examination[] = allExaminations,
  timeoutMs = examinationMs,
): Promise<Finding[]> {
  const findings = await Promise.all(
    examinations.map(async ({ id, title, examine }): Promise<readonly Finding[]> => {
      const verdict = await within(timeoutMs, examine(surroundings), () =>
        mend(`could not be examined within ${timeoutMs / 1000} s`, { command: `holdfast doctor` }),
      ).catch((error: unknown) => unexaminable(error));
      return "state" in verdict ? [{ id, title, ...verdict }] : verdict;
    }),
  );
  return findings.flat();
}

function unexaminable(error: unknown): Verdict {
  const words = error instanceof Error ? error.message : String(error);
  return mend(`could not be examined: ${words}`, {
    remedy: "Mend what is named above first, and look again.",
  });
}
