// Finds out who a request comes from.
import { makeId } from "@holdfast/ahp";
import { HostError, LIMITS, PERMISSIONS, type ApiKey, type App } from "@holdfast/protocol";
import type { AppStore } from "./app-store.ts";
import { sentKeys, type CredentialHeaders } from "./credentials.ts";
import type { FailureLimit } from "./failure-limit.ts";
import type { Identity } from "./identity.ts";
import type { KeyStore } from "./key-store.ts";
import type { Peer } from "./peer.ts";
import type { PageCookie } from "../page/page-cookie.ts";
import type { OwnerToken } from "./token.ts";

/** What an authenticator asks. */
export interface AuthenticatorParts {
  readonly token: OwnerToken;
  readonly keys: KeyStore;
  /** Absent where app ids are not taken. */
  readonly apps: AppStore | undefined;
  readonly failures: FailureLimit;
  readonly pageCookie: PageCookie;
}

const owner: Identity = {
  kind: "token",
  caller: { kind: "owner" },
  clientId: makeId("client", "owner"),
  scopes: PERMISSIONS,
  isRefused: false,
};

/** Knows the owner's token, the keys, and the apps where their ids are taken. */
export class Authenticator {
  readonly #parts: AuthenticatorParts;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /**
   * Who sends these headers. A key or token decides alone, and an app id beside it changes nothing (A62).
   * Throws when there is nobody to be found; what was sent and is wrong counts as a failure.
   */
  identify(headers: CredentialHeaders, peer: Peer): Identity {
    const texts = sentKeys(headers);
    for (const text of texts) {
      const identity = this.#identifyKey(text);
      if (identity !== undefined) return identity;
    }
    if (texts.length > 0) throw this.#failed(peer, new HostError("UNAUTHORIZED"));
    if (headers.page !== undefined && this.#parts.pageCookie.admits(headers.page)) return owner;
    // An app id is no secret: it tells local apps apart, and opens nothing to other machines.
    const { apps } = this.#parts;
    if (apps === undefined || !peer.isLocal) throw new HostError("UNAUTHORIZED");
    return this.#identifyApp(apps, headers.appId ?? "", peer);
  }

  #identifyKey(text: string): Identity | undefined {
    if (this.#parts.token.matches(text)) return owner;
    const key = this.#parts.keys.recognise(text);
    return key && keyIdentity(key);
  }

  #identifyApp(apps: AppStore, id: string, peer: Peer): Identity {
    if (id === "") throw new HostError("MISSING_APP_ID");
    const app = apps.find(id);
    if (app !== undefined) return appIdentity(app);
    const shown = id.length > LIMITS.appIdLength ? `${id.slice(0, LIMITS.appIdLength)}…` : id;
    throw this.#failed(peer, new HostError("INVALID_APP_ID", `Invalid app ID: ${shown}`));
  }

  /** Throws when there were too many failures before this one. */
  #failed({ address }: Peer, error: HostError): HostError {
    this.#parts.failures.count(address ?? "");
    return error;
  }
}

function keyIdentity({ id, name, scopes }: ApiKey): Identity {
  const isOwner = scopes.includes("admin");
  // App ids have no colon, so no app can register under the name of a key.
  const principal = keyClientId(id);
  return {
    kind: "key",
    caller: isOwner ? { kind: "owner" } : { kind: "app", appId: makeId("app", principal), name },
    clientId: makeId("client", principal),
    scopes: isOwner ? PERMISSIONS : scopes,
    isRefused: false,
  };
}

function appIdentity(app: App): Identity {
  return {
    kind: "app-id",
    caller: { kind: "app", appId: makeId("app", app.id), name: app.name },
    clientId: makeId("client", appClientId(app.id)),
    scopes: app.state === "granted" ? app.permissions : [],
    isRefused: app.state === "refused",
  };
}

/** The client id of whoever comes with a key. */
export function keyClientId(keyId: string): string {
  return `key:${keyId}`;
}

/** The client id of whoever comes with an app id. */
export function appClientId(appId: string): string {
  return `app:${appId}`;
}
