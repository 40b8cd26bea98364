// The profile of macOS's sandbox-exec for a sandbox, as text. Later rules win.
import { changeableVisible } from "./bubblewrap.ts";
import type { EnterRequest, Entry, OpenSandbox } from "./open-sandbox.ts";
import type { SandboxReport, SandboxSpec } from "./sandbox.ts";

/** Gaps of macOS's sandbox at either level. */
export const SEATBELT_GAPS: readonly string[] = [
  "The host's processes can be seen; their environment and memory cannot be read.",
];

/** Commands that are restricted one by one; nothing holds them together. */
export class SeatbeltSandbox implements OpenSandbox {
  readonly report: SandboxReport;
  readonly isAlive = true;
  readonly #profile: string;

  constructor(spec: SandboxSpec, report: SandboxReport) {
    this.#profile = seatbeltProfile(spec);
    this.report = report;
  }

  enter({ inside }: EnterRequest): Entry {
    const variables = inside.length === 0 ? [] : ["/usr/bin/env", ...inside];
    const words = ["/usr/bin/sandbox-exec", "-p", this.#profile, ...variables];
    return { words, hasWaiter: false, preparesInside: false };
  }

  async isEmpty(): Promise<boolean> {
    return true;
  }

  close(): void {}
}

/** Everything is allowed except what the spec takes away. */
export function seatbeltProfile(spec: SandboxSpec): string {
  const { level, hidden, visible, readOnly, fixed = [], writable } = spec;
  const paths = (all: readonly string[]): string => all.map((path) => `(subpath ${quote(path)})`).join(" ");
  const changeable = changeableVisible(level, visible, writable);
  const rule = (action: string, operations: string, all: readonly string[]): string[] =>
    all.length === 0 ? [] : [`(${action} ${operations} ${paths(all)})`];
  const deviceFolder = "/dev";
  return [
    "(version 1)",
    "(allow default)",
    // Other programs of the user, the host among them, are nobody's to control.
    "(deny process-info* (target others))",
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    "(deny mach-priv-task-port)",
    ...(level === "workspace"
      ? ["(deny file-write*)", ...rule("allow", "file-write*", [...writable, deviceFolder])]
      : []),
    ...rule("deny", "file-write*", readOnly),
    ...rule("allow", "file-write*", level === "guard" ? writable : []),
    ...rule("deny", "file-write*", fixed),
    ...rule("deny", "file-read* file-write*", hidden),
    ...rule("allow", "file-read*", visible),
    ...rule("allow", "file-write*", changeable),
    "",
  ].join("\n");
}

/** A string of the profile's language. */
function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
