// A flood in a terminal: the longest task of the page, and how late the timers of an empty page were meanwhile.
import type { Browser } from "playwright-core";
import { startRealHost } from "../../tests/host/real-host.ts";
import { forgetTasks, longestTaskMs, watchTasks } from "../../tests/page/page-browser.ts";
import { terminals, typeInto, whenConnected } from "../../tests/page/page-walk.ts";

export interface Flood {
  readonly megabytes: number;
  readonly durationMs: number;
  readonly longestTaskMs: number;
  /** The most CPU time that one task of the page took; others on the machine do not add to it. */
  readonly longestTaskCpuMs: number;
  readonly emptyPageDelayMs: number;
}

/** Notes how late a timer of 10 ms comes at most: only the machine delays it in a page that does nothing. */
const watchDelays = `
  globalThis.longestDelayMs = 0;
  let dueMs = performance.now() + 10;
  setInterval(() => {
    const nowMs = performance.now();
    globalThis.longestDelayMs = Math.max(globalThis.longestDelayMs, nowMs - dueMs);
    dueMs = nowMs + 10;
  }, 10);
`;

export async function measureFlood(browser: Browser, megabytes: number): Promise<Flood> {
  const host = await startRealHost();
  // Each in its own window, so that neither counts as hidden.
  const contexts = [await browser.newContext(), await browser.newContext()] as const;
  try {
    const [page, empty] = await Promise.all([contexts[0].newPage(), contexts[1].newPage()]);
    await page.addInitScript(watchTasks);
    await page.goto(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await page.getByRole("link", { name: "Terminals" }).click();
    await page.getByRole("button", { name: "Open a shell" }).click();
    const terminal = terminals(page);
    await terminal.getByText("held by you").waitFor();
    await terminal.locator("textarea").waitFor({ state: "attached" });
    await empty.evaluate(watchDelays);
    await forgetTasks(page);
    await browser.startTracing(page, { categories: ["toplevel"] });
    const startedMs = performance.now();
    await typeInto(terminal, `yes 0123456789abcdef | head -c ${megabytes}000000; echo the-end-$((6*7))\n`);
    await terminal.getByText("the-end-42").waitFor({ timeout: 300_000 });
    const durationMs = performance.now() - startedMs;
    const trace = await browser.stopTracing();
    return {
      megabytes,
      durationMs,
      longestTaskMs: await longestTaskMs(page),
      longestTaskCpuMs: longestCpuMs(trace, durationMs),
      emptyPageDelayMs: await empty.evaluate<number>("globalThis.longestDelayMs"),
    };
  } finally {
    await Promise.all(contexts.map((context) => context.close()));
    await host.close();
  }
}

/** An event of a trace; times are in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The most CPU time of one task on the main thread of any page. */
function longestCpuMs(trace: Buffer, durationMs: number): number {
  const { traceEvents } = JSON.parse(trace.toString("utf8")) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => {
    return name.endsWith("RunTask") && threads.has(`${pid} ${tid}`);
  });
  let [longest, firstAt, lastAt] = [0, Number.POSITIVE_INFINITY, 0];
  for (const { ts, tdur = 0 } of tasks) {
    longest = Math.max(longest, tdur);
    firstAt = Math.min(firstAt, ts);
    lastAt = Math.max(lastAt, ts);
  }
  // A trace that is full drops the rest.
  if ((lastAt - firstAt) / 1000 < durationMs * 0.9) throw new Error("The trace does not cover the flood.");
  return longest / 1000;
}
