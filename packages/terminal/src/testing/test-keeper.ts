// Homes with a keeper for tests: what a test started is ended with it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type ConnectOptions, type KeeperPort, connectKeeper, endKeeper } from "../keeper/index.ts";
import { forwardTo, type ProcessPort } from "../process/port.ts";
import type { HostSuccession } from "./host-succession.ts";

/** A home that was not there before. */
export function temporaryHome(): { home: string; remove: () => Promise<void> } {
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-home-"));
  return {
    home,
    remove: async () => {
      await endKeeper(home, 200);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Hosts of one keeper, each with a connection. */
export function keeperHosts(options: Omit<ConnectOptions, "home"> = {}): HostSuccession & { home: string } {
  const { home, remove } = temporaryHome();
  return { home, takeOver: () => connectKeeper({ ...options, home }), close: remove };
}

/** A port with a keeper that nobody else uses; closing it removes its home. */
export async function keeperPort(options: Omit<ConnectOptions, "home"> = {}): Promise<ProcessPort> {
  const { home, remove } = temporaryHome();
  const port = await connectKeeper({ ...options, home });
  return forwardTo(port, {
    close: async (graceMs) => {
      await port.close(graceMs);
      await remove();
    },
  });
}

/** A home whose keeper ends with the test. */
export function makeHome(): string {
  const { home, remove } = temporaryHome();
  onTestFinished(remove);
  return home;
}

/** A host with the environment of the test. */
export async function connectTo(home: string, options: Partial<ConnectOptions> = {}): Promise<KeeperPort> {
  return connectKeeper({ home, environment: process.env, ...options });
}

export function keeperPid(port: KeeperPort): number {
  return port.keeper?.pid ?? 0;
}
