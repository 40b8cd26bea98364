// A process port that all test files of a worker share: starting its helper takes longer than most tests.
import { tmpdir } from "node:os";
import { forwardTo, type ProcessPort } from "@holdfast/terminal/port";
import { Spawner } from "@holdfast/terminal/process";

type Environment = Readonly<Record<string, string | undefined>>;

/** Spawners by their environment; each ends with the worker. */
const spawners = new Map<string, Spawner>();

/** The port for one of the hosts: it closes nothing, and the host must leave nothing in it to end. */
export function sharedProcessPort(more: Environment = {}): ProcessPort {
  const environment = { PATH: process.env["PATH"], HOME: tmpdir(), ...more };
  const key = JSON.stringify(environment);
  const spawner = spawners.get(key) ?? new Spawner({ environment });
  spawners.set(key, spawner);
  const leave = (): Promise<void> => Promise.resolve();
  return forwardTo(spawner, { detach: leave, close: leave });
}
