// Browsers that are signed in to the host's page, and links that sign one in; for the host's owner and `admin` keys.
import type { SignIn } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { SignIn } from "@holdfast/protocol";

/** A link that signs one browser in, once. */
export interface SignInLink {
  /** The path and query to open at the host's address. */
  readonly path: string;
  readonly expiresAt: string;
}

/** The operations on sign-ins. */
export class SignIns {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Makes a link that signs one browser in, once. */
  async createLink({ signal }: CallOptions = {}): Promise<SignInLink> {
    const answer = await this.#connection.ask({ method: "POST", path: "/admin/sign-in-links", signal });
    return { path: String(answer["path"]), expiresAt: String(answer["expiresAt"]) };
  }

  /** Lists the browsers that are signed in, the last used first. */
  list({ signal }: CallOptions = {}): Promise<SignIn[]> {
    return this.#connection.askFor("signIns", { method: "GET", path: "/admin/sign-ins", signal });
  }

  /** Signs a browser out immediately. */
  revoke(id: string, { signal }: CallOptions = {}): Promise<SignIn> {
    const path = `/admin/sign-ins/${encodeURIComponent(id)}`;
    return this.#connection.askFor("signIn", { method: "DELETE", path, signal });
  }
}
