// Authentication: which identity a request's credentials stand for.
import { timingSafeEqual } from "node:crypto";
import { makeId } from "@holdfast/ahp";
import { type ApiKey, type App, DEFAULT_CEILING, HostError, LIMITS, PERMISSIONS } from "@holdfast/protocol";
import { actingSecret, type PageHeaders } from "../page/page-cookie.ts";
import type { Peer } from "./address.ts";
import type { AppStore } from "./app-store.ts";
import type { FailureLimit } from "./failure-limit.ts";
import type { Identity } from "./identity.ts";
import { digestOf, type KeyStore } from "./key-store.ts";
import { signInClientId, type SignIns } from "./sign-ins.ts";

interface CredentialHeaders {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
  readonly appId: string | undefined;
  /** Headers that prove that the request comes from the host's own page; absent where that does not count. */
  readonly page?: PageHeaders;
}

const bearer = /^bearer +(\S+) *$/i;

/** The keys or tokens in the headers. Some clients send two, one of them made up by the client. */
export function sentKeys({ apiKey, authorization }: CredentialHeaders): string[] {
  return [apiKey ?? "", bearer.exec(authorization ?? "")?.[1] ?? ""].filter((key) => key !== "");
}

/** The host's token; it keeps only a digest of it. */
export class OwnerToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    if (token === "") throw new TypeError("The owner's token must not be empty");
    this.#digest = digestOf(token);
  }

  /** Compares digests: they have one length, and the time it takes says nothing about the token (A10). */
  matches(text: string): boolean {
    return timingSafeEqual(digestOf(text), this.#digest);
  }
}

interface AuthenticatorParts {
  readonly token: OwnerToken;
  readonly keys: KeyStore;
  /** Absent where app ids are not taken. */
  readonly apps: AppStore | undefined;
  readonly failures: FailureLimit;
  readonly signIns: SignIns;
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
   * The identity behind these headers. A key or token decides alone, and an app id beside it changes nothing (A62).
   * Throws when there is none; a wrong credential counts as a failure.
   */
  identify(headers: CredentialHeaders, peer: Peer): Identity {
    const texts = sentKeys(headers);
    for (const text of texts) {
      const identity = this.#identifyKey(text);
      if (identity !== undefined) return identity;
    }
    if (texts.length > 0) throw this.#failed(peer, new HostError("UNAUTHORIZED"));
    const secret = headers.page && actingSecret(headers.page);
    const signIn = secret === undefined ? undefined : this.#parts.signIns.recognise(secret);
    if (signIn !== undefined) {
      return { ...owner, kind: "sign-in", clientId: makeId("client", signInClientId(signIn.id)) };
    }
    // An app id is no secret: it distinguishes local apps, and opens nothing to other machines.
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

function keyIdentity({ id, name, scopes, ceiling = DEFAULT_CEILING }: ApiKey): Identity {
  const isOwner = scopes.includes("admin");
  // App ids have no colon, so no app can register under the name of a key.
  const principal = keyClientId(id);
  return {
    kind: "key",
    caller: isOwner ? { kind: "owner" } : { kind: "app", appId: makeId("app", principal), name, ceiling },
    clientId: makeId("client", principal),
    scopes: isOwner ? PERMISSIONS : scopes,
    isRefused: false,
  };
}

function appIdentity(app: App): Identity {
  return {
    kind: "app-id",
    caller: {
      kind: "app",
      appId: makeId("app", app.id),
      name: app.name,
      ceiling: app.state === "granted" ? app.ceiling : DEFAULT_CEILING,
    },
    clientId: makeId("client", appClientId(app.id)),
    scopes: app.state === "granted" ? app.permissions : [],
    isRefused: app.state === "refused",
  };
}

/** The client id of a caller with a key. */
export function keyClientId(keyId: string): string {
  return `key:${keyId}`;
}

/** The client id of a caller with an app id. */
export function appClientId(appId: string): string {
  return `app:${appId}`;
}
