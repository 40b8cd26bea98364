// The client: one object for one host, with a group of operations for each noun.
import { surroundings as ownSurroundings } from "#surroundings";
import { AcpAgent } from "./acp-agent.ts";
import { Apps } from "./app.ts";
import { Approvals } from "./approval.ts";
import { Audit } from "./audit.ts";
import { Connection } from "./connection.ts";
import { HostAddress } from "./host-address.ts";
import { Keys } from "./key.ts";
import { readBaseUrl, readIdentity, type HoldfastOptions } from "./options.ts";
import { register, type Registration } from "./registration.ts";
import { Retry } from "./retry.ts";
import { Terminals } from "./terminal.ts";
import { Webhooks } from "./webhook.ts";

/** A client of one host. It holds nothing open between calls, so there is nothing to close. */
export class Holdfast {
  /** The id of the app; empty when it has none. */
  readonly appId: string;
  readonly appName: string | undefined;
  readonly acpAgent: AcpAgent;
  readonly approvals: Approvals;
  readonly terminals: Terminals;
  readonly webhooks: Webhooks;
  readonly keys: Keys;
  readonly apps: Apps;
  readonly audit: Audit;
  /** What became of telling the host which permissions the app wishes for; it never rejects. */
  readonly registration: Promise<Registration>;

  constructor(options: HoldfastOptions = {}) {
    const { appId, appName, apiKey } = readIdentity(options, ownSurroundings);
    const baseUrl = readBaseUrl(options);
    const address = new HostAddress({ baseUrl, apiKey, appId, surroundings: ownSurroundings });
    const connection = new Connection({ address, appId, fetch: options.fetch });
    const retry = new Retry(options.retry);
    this.appId = appId ?? "";
    this.appName = appName;
    this.acpAgent = new AcpAgent(connection, retry);
    this.approvals = new Approvals(connection);
    this.terminals = new Terminals(connection, retry);
    this.webhooks = new Webhooks(connection);
    this.keys = new Keys(connection);
    this.apps = new Apps(connection);
    this.audit = new Audit(connection);
    this.registration = register(connection, { appId, appName, apiKey }, options.permissions ?? []);
  }

  /** The same as `acpAgent`, in the spelling of the Python client. */
  get acp_agent(): AcpAgent {
    return this.acpAgent;
  }
}
