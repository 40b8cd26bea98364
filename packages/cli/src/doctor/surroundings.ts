// What the examinations look at: this process, the home with its configuration, and a keeper to try things with.
import process from "node:process";
import { InlineKeeper } from "@holdfast/keeper";
import type { Keeper } from "@holdfast/keeper/port";
import { type Config, readConfig } from "@holdfast/protocol";
import { loadConfig } from "../serve/config-file.ts";
import { findHome } from "../serve/home.ts";
import { findRunningHost, type HostFile } from "../serve/host-file.ts";
import { within } from "./within.ts";

/** Where to look. */
export interface Place {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `--home`. */
  readonly home?: string | undefined;
  /** `--config`. */
  readonly config?: string | undefined;
}

/** How long a host that is starting or stopping is waited for. */
const hostPatienceMs = 3000;

/** What is looked at. Whoever made it closes it. */
export class Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform = process.platform;
  readonly nodeVersion: string = process.versions.node;
  readonly home: string;
  /** The configuration in force; the defaults where the file cannot be used. */
  readonly config: Config;
  /** Why the configuration's file cannot be used. */
  readonly configFault: string | undefined;
  /** Starts processes as the host does, in the login shell's environment. */
  readonly keeper: Keeper = new InlineKeeper();
  #running: Promise<HostFile | undefined> | undefined;

  constructor({ environment, home, config }: Place) {
    this.environment = environment;
    this.home = findHome(home, environment);
    const read = readSettings(this.home, config);
    this.config = read.config;
    this.configFault = read.fault;
  }

  /** The host of the home; rejects when one holds the home but does not say where it listens. */
  runningHost(): Promise<HostFile | undefined> {
    this.#running ??= within(hostPatienceMs, findRunningHost(this.home), () => {
      throw new Error("a host holds the home but does not say where it listens");
    });
    return this.#running;
  }

  /** Ends whatever the examinations started. */
  async close(): Promise<void> {
    await this.keeper.close(0);
  }
}

function readSettings(
  home: string,
  named: string | undefined,
): { config: Config; fault: string | undefined } {
  try {
    return { config: loadConfig(home, named), fault: undefined };
  } catch (error) {
    const defaults = readConfig({});
    if (!defaults.ok) {
      throw new TypeError("The defaults of the configuration are not valid.", { cause: error });
    }
    return { config: defaults.value, fault: error instanceof Error ? error.message : String(error) };
  }
}
