// Runs the checks against a host, version by version, and describes the outcome.
import { randomUUID } from "node:crypto";
import { CheckClient, type CheckedVersion } from "./check-client.ts";
import type { Check, CheckContext } from "./check.ts";
import { checks } from "./checks.ts";
import { CheckFailure, Wire } from "./wire.ts";

export interface CheckOptions {
  /** A WebSocket, with the token in its query if the host wants one. */
  readonly url: string;
  readonly versions: readonly CheckedVersion[];
  /** The ids of the checks to run. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** How long anything may take. */
  readonly timeoutMs: number;
}

export type Outcome =
  | { readonly id: string; readonly title: string; readonly outcome: "passed" }
  | { readonly id: string; readonly title: string; readonly outcome: "failed"; readonly reason: string };

export interface VersionReport {
  readonly version: CheckedVersion;
  readonly checks: readonly Outcome[];
}

export interface Report {
  /** Without its query, which may have a token. */
  readonly host: string;
  readonly passed: number;
  readonly failed: number;
  readonly versions: readonly VersionReport[];
}

export async function runChecks(options: CheckOptions): Promise<Report> {
  const versions: VersionReport[] = [];
  for (const version of options.versions) {
    const wanted = checks.filter(({ id }) => options.only?.includes(id) ?? true);
    const outcomes: Outcome[] = [];
    for (const check of wanted) outcomes.push(await runCheck(check, version, options));
    versions.push({ version, checks: outcomes });
  }
  const all = versions.flatMap((each) => each.checks);
  const passed = all.filter(({ outcome }) => outcome === "passed").length;
  const { protocol, host, pathname } = new URL(options.url);
  return { host: `${protocol}//${host}${pathname}`, passed, failed: all.length - passed, versions };
}

async function runCheck(
  { id, title, run }: Check,
  version: CheckedVersion,
  { url, timeoutMs }: CheckOptions,
): Promise<Outcome> {
  const opened: Wire[] = [];
  const terminals: { readonly client: CheckClient; readonly uri: string }[] = [];
  const name = (): string => `check-${randomUUID()}`;
  const open = async (): Promise<Wire> => {
    const wire = await Wire.open(url, timeoutMs);
    opened.push(wire);
    return wire;
  };
  const context: CheckContext = {
    version,
    name,
    open,
    client: async () => {
      const client = new CheckClient(await open(), version, name(), (uri) => terminals.push({ client, uri }));
      await client.initialize();
      return client;
    },
  };
  try {
    await run(context);
    return { id, title, outcome: "passed" };
  } catch (error) {
    const reason = error instanceof CheckFailure ? error.message : `the connection failed: ${String(error)}`;
    return { id, title, outcome: "failed", reason };
  } finally {
    // A terminal that is gone, or whose connection is, is no fault here.
    const disposed = terminals.map(({ client, uri }) => client.ask("terminal", "disposeTerminal", uri));
    await Promise.allSettled(disposed);
    for (const wire of opened) wire.close();
  }
}

/** The report for people. */
export function describeReport({ host, passed, failed, versions }: Report): string {
  const lines = versions.flatMap(({ version, checks: outcomes }) => [
    `AHP ${version}`,
    ...outcomes.flatMap((each) => {
      const line = `  ${each.outcome === "passed" ? "ok  " : "FAIL"} ${each.id.padEnd(4)} ${each.title}`;
      return each.outcome === "passed" ? [line] : [line, `            ${each.reason}`];
    }),
    "",
  ]);
  return [`Checked ${host}`, "", ...lines, `${passed} passed, ${failed} failed.`].join("\n");
}
