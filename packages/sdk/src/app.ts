// The apps that are known by an id: what they wish for, and what they are let do; for the host's owner.
import type { App, AppPermission } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { App, AppPermission } from "@holdfast/protocol";

/** The operations on apps. */
export class Apps {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** All apps that have asked for something or were granted something. */
  list({ signal }: CallOptions = {}): Promise<App[]> {
    return this.#connection.askFor("apps", { method: "GET", path: "/admin/apps", signal });
  }

  /** Lets an app do what is named and nothing else; also one that has not asked yet. */
  grant(
    id: string,
    permissions: readonly AppPermission[],
    options: CallOptions & { readonly name?: string } = {},
  ): Promise<App> {
    const { name, signal } = options;
    const path = `${pathOf(id)}/grant`;
    return this.#connection.askFor("app", { method: "POST", path, body: { permissions, name }, signal });
  }

  /** Refuses an app for good. */
  deny(id: string, { signal }: CallOptions = {}): Promise<App> {
    return this.#connection.askFor("app", { method: "POST", path: `${pathOf(id)}/deny`, signal });
  }

  /** Forgets an app; it may ask again. */
  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.ask({ method: "DELETE", path: pathOf(id), signal });
  }
}

function pathOf(id: string): string {
  return `/admin/apps/${encodeURIComponent(id)}`;
}
