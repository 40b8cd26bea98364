// Store of the apps that identify by an id: the permissions they requested, and those the owner granted.
import {
  type App,
  APP_PERMISSIONS,
  type AppPermission,
  appSchema,
  completeCeiling,
  type WantedCeiling,
} from "@holdfast/protocol";
import { rateLimited } from "./failure-limit.ts";
import { parseRecord, type StoreParts } from "./key-store.ts";

export interface AppRegistration {
  readonly id: string;
  readonly name: string | undefined;
  readonly permissions: readonly string[];
}

const prefix = "app/";
/** Nobody reads a longer list, and flooding it gains nothing. */
const maxWaiting = 100;
/** An app that is still in use repeats its request at each start; a request that is not repeated for this long lapses. */
const registrationLapsesAfterMs = 24 * 60 * 60 * 1000;

/** All apps of a host. It alone writes them, so what it has in memory is what holds. */
export class AppStore {
  readonly #parts: StoreParts;
  readonly #apps = new Map<string, App>();

  constructor(parts: StoreParts) {
    this.#parts = parts;
    for (const name of parts.meta.keys(prefix)) this.#load(name);
  }

  find(id: string): App | undefined {
    return this.#apps.get(id);
  }

  /** All apps, by their ids. */
  list(): App[] {
    return [...this.#apps.values()].toSorted((a, b) => a.id.localeCompare(b.id));
  }

  /** Records the permissions that an app requests; granted and refused ones stay as they are (A66). */
  register({ id, name, permissions }: AppRegistration): App {
    const known = this.#apps.get(id);
    if (known === undefined) this.#makeRoom();
    const requested = APP_PERMISSIONS.filter((permission) => permissions.includes(permission));
    const registeredAt = this.#parts.now().toISOString();
    // A person granted or refused an app under the name it had then.
    if (known !== undefined && known.state !== "waiting") {
      return this.#save({ ...known, requested, registeredAt });
    }
    return this.#save({ state: "waiting", id, name: name ?? known?.name ?? id, requested, registeredAt });
  }

  /** Lets an app do these things and no others. */
  grant(
    id: string,
    permissions: readonly AppPermission[],
    {
      name,
      ceiling,
    }: { readonly name?: string | undefined; readonly ceiling?: WantedCeiling | undefined } = {},
  ): App {
    const decidedAt = this.#parts.now().toISOString();
    const known = this.#apps.get(id) ?? { name: id, requested: [], registeredAt: decidedAt };
    this.#apps.delete(id);
    return this.#save({
      state: "granted",
      id,
      name: name ?? known.name,
      requested: known.requested,
      registeredAt: known.registeredAt,
      permissions: [...new Set(permissions)],
      ceiling: completeCeiling(ceiling),
      decidedAt,
    });
  }

  /** Denies an app permanently; undefined when it is not known. */
  refuse(id: string): App | undefined {
    const known = this.#apps.get(id);
    if (known === undefined) return undefined;
    const { name, requested, registeredAt } = known;
    this.#apps.delete(id);
    const decidedAt = this.#parts.now().toISOString();
    return this.#save({ state: "refused", id, name, requested, registeredAt, decidedAt });
  }

  /** Forgets an app; false when it is not known. */
  remove(id: string): boolean {
    const isKnown = this.#apps.delete(id);
    if (isKnown) this.#parts.meta.delete(prefix + id);
    return isKnown;
  }

  #makeRoom(): void {
    const waiting = this.list().filter(({ state }) => state === "waiting");
    if (waiting.length < maxWaiting) return;
    const nowMs = this.#parts.now().getTime();
    const lapseMs = (app: App): number => Date.parse(app.registeredAt) + registrationLapsesAfterMs - nowMs;
    const lapsed = waiting.filter((app) => lapseMs(app) <= 0);
    for (const { id } of lapsed) this.remove(id);
    if (lapsed.length > 0) return;
    throw rateLimited(
      Math.min(...waiting.map(lapseMs)),
      "Too many apps are waiting for the owner's decision. Ask the owner to grant or remove some of them.",
    );
  }

  /** The caller removes the app from memory first: if the store cannot write, the app has no rights rather than old ones. */
  #save(app: App): App {
    this.#parts.meta.set(prefix + app.id, JSON.stringify(app));
    this.#apps.set(app.id, app);
    return app;
  }

  #load(name: string): void {
    // Grants of earlier versions have no ceiling on record, and get the one of new grants (A622).
    const kept = { ceiling: completeCeiling(), ...parseRecord(this.#parts.meta.get(name)) };
    const read = appSchema.safeParse(kept);
    if (read.success) this.#apps.set(read.data.id, read.data);
    else this.#parts.log("error", "An app in the store cannot be read, and is granted nothing", { name });
  }
}
