// The cgroups that several runs share: those of a session, of a key, and of the whole host (T662).
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import type { LimitScope } from "../port.ts";
import type { CgroupLayout, Controller } from "./cgroup-layout.ts";
import { LIMIT_CONTROLS, type LimitedGroup, type SharedLimitName, sharedNames } from "./limit-controls.ts";
import { writeControl } from "./cgroup-layout.ts";

/** One scope with its groups. */
interface EnteredScope {
  readonly scope: LimitScope;
  readonly groups: Partial<Record<SharedLimitName, LimitedGroup>>;
}

/** The groups around one run, made before it starts. */
export class ScopeGroups {
  /** Path of the innermost group below our own folder in each hierarchy; empty without a scope. */
  readonly path: string;
  /** Innermost first. */
  readonly entered: readonly EnteredScope[];
  readonly #roots: readonly string[];

  constructor(layout: CgroupLayout, scopes: readonly LimitScope[]) {
    const { killFolder } = layout;
    const controllers = Object.entries(layout.controllers);
    this.#roots = [...new Set([killFolder, ...controllers.map(([, { folder }]) => folder)])].filter(
      (root) => root !== undefined,
    );
    const passedOn = controllers.filter(([, { version }]) => version === "cgroup2").map(([name]) => name);
    const entered: EnteredScope[] = [];
    const segments: string[] = [];
    for (const scope of scopes) {
      // The host's own limits are those of the folder that holds everything.
      if (scope.level !== "host") segments.push(nameOf(scope));
      const path = join(...segments, ".");
      if (killFolder !== undefined && passedOn.length > 0) {
        mkdirSync(join(killFolder, path), { recursive: true });
        for (const name of passedOn) {
          writeControl(join(killFolder, path), "cgroup.subtree_control", `+${name}`);
        }
      }
      entered.unshift({ scope, groups: limitScope(layout, path, scope) });
    }
    this.path = join(...segments, ".");
    this.entered = entered;
  }

  /** Removes the groups that no other run is in; the kernel refuses for those that are in use. */
  close(): void {
    for (const root of this.#roots) {
      for (let path = this.path; path !== "."; path = join(path, "..")) {
        try {
          rmdirSync(join(root, path));
        } catch {
          // In use by another run of the scope, which removes it when it is the last; or never made in this hierarchy.
        }
      }
    }
  }
}

/** Sets a scope's limits, again for each run: they may have changed since the last. */
function limitScope(layout: CgroupLayout, path: string, { limits }: LimitScope): EnteredScope["groups"] {
  const groups: Partial<Record<SharedLimitName, LimitedGroup>> = {};
  for (const name of sharedNames) {
    const { controller: controllerName, set, lift, hits } = LIMIT_CONTROLS[name];
    const controller: Controller | undefined = layout.controllers[controllerName];
    const value = limits[name];
    if (controller === undefined) continue;
    const folder = join(controller.folder, path);
    const { version } = controller;
    if (value === undefined) {
      if (existsSync(folder)) lift(folder, version);
      continue;
    }
    mkdirSync(folder, { recursive: true });
    if (set(folder, version, value)) groups[name] = { version, folder, hitsBefore: hits(folder, version) };
  }
  return groups;
}

/** A folder's name: what names a session or a key may have any characters. */
function nameOf({ level, id }: LimitScope): string {
  return `${level}-${createHash("sha256").update(id).digest("hex").slice(0, 16)}`;
}
