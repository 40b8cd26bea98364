// The apps that are known by an id: what they wish for, and what the owner lets them do.
import { APP_PERMISSIONS, appSchema, type App, type AppPermission } from "@holdfast/protocol";
import { rateLimited } from "./failure-limit.ts";
import type { StoreParts } from "./key-store.ts";
import { parseRecord } from "./record.ts";

/** What an app says of itself. */
export interface AppWish {
  readonly id: string;
  readonly name: string | undefined;
  readonly permissions: readonly string[];
}

const prefix = "app/";
/** Nobody reads a longer list; whoever floods it gains nothing. */
const maxWaiting = 100;
/** An app that is still there repeats its wish at each start; one that did not for so long makes room. */
const wishLapsesAfterMs = 24 * 60 * 60 * 1000;

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

  /** Writes down what an app wishes for; what was granted or refused stays as it is (A66). */
  register({ id, name, permissions }: AppWish): App {
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
  grant(id: string, permissions: readonly AppPermission[], name?: string): App {
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
      decidedAt,
    });
  }

  /** Refuses an app for good; undefined when it is not known. */
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
    const lapseMs = (app: App): number => Date.parse(app.registeredAt) + wishLapsesAfterMs - nowMs;
    const lapsed = waiting.filter((app) => lapseMs(app) <= 0);
    for (const { id } of lapsed) this.remove(id);
    if (lapsed.length > 0) return;
    throw rateLimited(
      Math.min(...waiting.map(lapseMs)),
      "Too many apps wait for the owner's answer. Ask the owner to grant or remove some of them.",
    );
  }

  /** Whoever decides takes the app out of memory before: if the store cannot write, it has no rights rather than old ones. */
  #save(app: App): App {
    this.#parts.meta.set(prefix + app.id, JSON.stringify(app));
    this.#apps.set(app.id, app);
    return app;
  }

  #load(name: string): void {
    const read = appSchema.safeParse(parseRecord(this.#parts.meta.get(name)));
    if (read.success) this.#apps.set(read.data.id, read.data);
    else this.#parts.log("error", "An app in the store cannot be read, and may do nothing", { name });
  }
}
