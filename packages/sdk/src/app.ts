// Apps that are known by an id: what they may do, for the host's owner, and how one registers.
import type { App, AppPermission, WantedCeiling } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";
import type { Identity } from "./holdfast.ts";

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

  /** Grants an app the named permissions and no others, even before it has asked. */
  grant(
    id: string,
    permissions: readonly AppPermission[],
    options: CallOptions & { readonly name?: string; readonly ceiling?: WantedCeiling } = {},
  ): Promise<App> {
    const { name, ceiling, signal } = options;
    const path = `${pathOf(id)}/grant`;
    return this.#connection.askFor("app", {
      method: "POST",
      path,
      body: { permissions, name, ceiling },
      signal,
    });
  }

  /** Denies an app permanently. */
  deny(id: string, { signal }: CallOptions = {}): Promise<App> {
    return this.#connection.askFor("app", { method: "POST", path: `${pathOf(id)}/deny`, signal });
  }

  /** Removes an app; it may ask again. */
  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.ask({ method: "DELETE", path: pathOf(id), signal });
  }
}

function pathOf(id: string): string {
  return `/admin/apps/${encodeURIComponent(id)}`;
}

/** Outcome of a registration. */
export type Registration =
  /** An app without an id, with a key, or without requested permissions has nothing to register. */
  | { readonly kind: "not-needed" }
  | { readonly kind: "registered"; readonly message: string }
  | { readonly kind: "failed"; readonly error: unknown };

/** Registers an app that has an id, requests permissions and has no key (X11). Calls do not wait; it never rejects. */
export async function register(
  connection: Connection,
  { appId, appName, apiKey }: Identity,
  permissions: readonly string[],
): Promise<Registration> {
  if (appId === undefined || apiKey !== undefined || permissions.length === 0) return { kind: "not-needed" };
  try {
    const message = await connection.register({ app_id: appId, app_name: appName, permissions });
    return { kind: "registered", message };
  } catch (error) {
    return { kind: "failed", error };
  }
}
