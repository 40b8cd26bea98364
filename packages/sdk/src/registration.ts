// Tells the host which permissions an app wishes for; a person then grants them, or not.
import type { Connection } from "./connection.ts";
import type { Identity } from "./options.ts";

/** What became of it. */
export type Registration =
  /** An app without an id, with a key, or without a wish has nothing to register. */
  | { readonly kind: "not-needed" }
  | { readonly kind: "registered"; readonly message: string }
  | { readonly kind: "failed"; readonly error: unknown };

/** Registers an app that has an id, wishes and no key (X11). Calls do not wait for it, and it never rejects. */
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
