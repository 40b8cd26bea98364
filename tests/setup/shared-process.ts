// A guard for files that share a process: each leaves the process as the next one expects it.
import process from "node:process";
import { afterAll, vi } from "vitest";

const events = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGUSR2",
  "SIGWINCH",
  "uncaughtException",
  "unhandledRejection",
];

function readProcess(): Map<string, unknown> {
  // Vitest keeps the running file, and more, in its own variables.
  const variables = Object.entries(process.env).filter(([name]) => !/^(VITEST|VITE_|NODE_ENV$)/.test(name));
  return new Map<string, unknown>([
    ...variables.map(([name, value]) => [`the variable ${name}`, value] as const),
    ...events.map((event) => [`listeners of ${event}`, process.listenerCount(event)] as const),
    ["the current folder", process.cwd()],
    ["the exit code", process.exitCode],
    ["fake timers", vi.isFakeTimers()],
  ]);
}

const before = readProcess();

// Hooks that end something run in reverse order: the file's own come first.
afterAll(() => {
  const after = readProcess();
  // Values of variables may be secrets, so only names are reported.
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  if (changed.length > 0) {
    throw new Error(`A test changed, in the process that files share: ${changed.join(", ")}`);
  }
});
