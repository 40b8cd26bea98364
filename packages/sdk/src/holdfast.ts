// The client: one object for one host, with a group of operations for each noun.
import { platform as ownPlatform } from "#platform";
import { AcpAgent } from "./acp-agent.ts";
import { Apps, register, type Registration } from "./app.ts";
import { Approvals } from "./approval.ts";
import { PermissionRules } from "./permission-rule.ts";
import { Audit } from "./audit.ts";
import { Changes } from "./changes.ts";
import { PolicyRules } from "./policy.ts";
import { Connection } from "./connection.ts";
import { Retry, type RetryOptions } from "./event-stream.ts";
import { HostAddress, type Platform } from "./host-address.ts";
import { Keys } from "./key.ts";
import { Search } from "./search.ts";
import { SignIns } from "./sign-in.ts";
import { Terminals } from "./terminal.ts";
import { Webhooks } from "./webhook.ts";

/** A client of one host. It holds nothing open between calls, so there is nothing to close. */
export class Holdfast {
  /** The id of the app; empty when it has none. */
  readonly appId: string;
  readonly appName: string | undefined;
  readonly acpAgent: AcpAgent;
  readonly approvals: Approvals;
  readonly permissionRules: PermissionRules;
  readonly changes: Changes;
  readonly search: Search;
  readonly terminals: Terminals;
  readonly webhooks: Webhooks;
  readonly keys: Keys;
  readonly signIns: SignIns;
  readonly apps: Apps;
  readonly audit: Audit;
  readonly policy: PolicyRules;
  /** Outcome of sending the permissions that the app requests to the host; it never rejects. */
  readonly registration: Promise<Registration>;

  constructor(options: HoldfastOptions = {}) {
    const { appId, appName, apiKey } = readIdentity(options, ownPlatform);
    const baseUrl = readBaseUrl(options);
    const address = new HostAddress({ baseUrl, apiKey, appId, platform: ownPlatform });
    const connection = new Connection({ address, appId, fetch: options.fetch });
    const retry = new Retry(options.retry);
    this.appId = appId ?? "";
    this.appName = appName;
    this.acpAgent = new AcpAgent(connection, retry);
    this.approvals = new Approvals(connection);
    this.permissionRules = new PermissionRules(connection);
    this.search = new Search(connection);
    this.changes = new Changes(connection);
    this.terminals = new Terminals(connection, retry);
    this.webhooks = new Webhooks(connection);
    this.keys = new Keys(connection);
    this.signIns = new SignIns(connection);
    this.apps = new Apps(connection);
    this.audit = new Audit(connection);
    this.policy = new PolicyRules(connection);
    this.registration = register(connection, { appId, appName, apiKey }, options.permissions ?? []);
  }

  /** The same as `acpAgent`, in the spelling of the Python client. */
  get acp_agent(): AcpAgent {
    return this.acpAgent;
  }
}

/** Options of a client; all of them may be left out where a host runs on this machine. */
export interface HoldfastOptions {
  /** The host's address; else the host of this machine, or the one that served the page. */
  readonly baseUrl?: string;
  /** The host's token, or a key that its owner made. */
  readonly apiKey?: string;
  /** The id under which the host's owner knows this app. */
  readonly appId?: string;
  /** Permissions that the app requests; sent to the host together with an app id and without a key. */
  readonly permissions?: readonly string[];
  /** The same settings under the names of RealtimeX. */
  readonly realtimex?: RealtimeXOptions;
  /** Retry schedule for reopening a broken stream. */
  readonly retry?: RetryOptions;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The settings of RealtimeX's client. */
export interface RealtimeXOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly appId?: string;
  readonly appName?: string;
}

/** Identity of the client towards the host. */
export interface Identity {
  readonly appId: string | undefined;
  readonly appName: string | undefined;
  readonly apiKey: string | undefined;
}

/** Reads the identity from the options, else from the variables that RealtimeX sets for its apps (X3). */
function readIdentity(options: HoldfastOptions, platform: Platform): Identity {
  const { realtimex = {} } = options;
  return {
    appId: firstGiven(options.appId, realtimex.appId, platform.variable("RTX_APP_ID")),
    appName: firstGiven(realtimex.appName, platform.variable("RTX_APP_NAME")),
    apiKey: firstGiven(options.apiKey, realtimex.apiKey, platform.variable("RTX_API_KEY")),
  };
}

/** The address that was asked for, without a slash at its end; undefined when none was. */
function readBaseUrl({ baseUrl, realtimex = {} }: HoldfastOptions): string | undefined {
  return firstGiven(baseUrl, realtimex.url)?.replace(/\/+$/, "");
}

/** An empty string is a setting that was left empty. */
function firstGiven(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text !== "");
}
