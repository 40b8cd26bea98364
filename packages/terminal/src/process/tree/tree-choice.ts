// Chooses what holds a run's tree together on this machine, and remembers what the machine can do.
import { TerminalError } from "../../terminal-error.ts";
import type { TreeChoice, TreeMechanism } from "../port.ts";
import { platform } from "../platform.ts";
import { type CgroupLayout, findCgroups, leaveCgroups, ownFolderName } from "./cgroup-layout.ts";
import { MarkerSearch } from "./marker-search.ts";
import { pidNamespaceObstacle } from "./pid-namespace.ts";

/** Ways to hold trees and limit them on this machine; detected on first use. */
export class TreeBackends {
  readonly markers = new MarkerSearch(ownFolderName());
  readonly #useCgroups: boolean;
  #layout: CgroupLayout | undefined;
  #namespaceObstacle: Promise<string | undefined> | undefined;

  constructor(useCgroups: boolean) {
    this.#useCgroups = useCgroups && platform.isLinux;
  }

  get cgroups(): CgroupLayout {
    this.#layout ??= this.#useCgroups ? findCgroups() : { killFolder: undefined, controllers: {} };
    return this.#layout;
  }

  /** The mechanism for a choice; an explicit one that is not to be had is an error, never quietly a weaker one. */
  async choose(choice: TreeChoice): Promise<TreeMechanism> {
    switch (choice) {
      case "process-group":
        return choice;
      case "auto":
        return this.cgroups.killFolder === undefined ? "process-group" : "cgroup";
      case "cgroup":
        if (this.cgroups.killFolder !== undefined) return choice;
        throw unavailable(
          "No cgroup v2 group is writable here; run as root, under a delegated systemd unit, or ask for pid-namespace",
        );
      case "pid-namespace": {
        if (!platform.isLinux) throw unavailable("PID namespaces exist on Linux only");
        this.#namespaceObstacle ??= pidNamespaceObstacle();
        const obstacle = await this.#namespaceObstacle;
        if (obstacle === undefined) return choice;
        throw unavailable(`PID namespaces cannot be used here: ${obstacle}`);
      }
    }
  }

  close(): void {
    if (this.#layout !== undefined) leaveCgroups(this.#layout);
    this.#layout = undefined;
  }
}

function unavailable(message: string): TerminalError {
  return new TerminalError("not_supported", message, { field: "tree" });
}
