// Address and key of the host: as given, or as found, and found again after the host could not be reached.

export interface HostPlace {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Whether the key is the owner's, found together with the address: then nothing else need be asked for. */
  readonly isOwner: boolean;
}

interface AddressOptions {
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly appId: string | undefined;
  readonly platform: Platform;
}

/** Where RealtimeX listens, whose apps name no address. */
const defaultUrl = "http://localhost:3001";

export class HostAddress {
  readonly #options: AddressOptions;
  #found: Promise<FoundHost | undefined> | undefined;

  constructor(options: AddressOptions) {
    this.#options = options;
  }

  /** Where the host is now. The token of a home goes to that home's host alone, and not in the name of an app (X6). */
  async locate(): Promise<HostPlace> {
    const { baseUrl, apiKey, appId, platform } = this.#options;
    if (baseUrl !== undefined) return { url: baseUrl, apiKey, isOwner: false };
    const needsToken = apiKey === undefined && appId === undefined;
    // A process that listens on the port of a host that is gone must not get its token (X850).
    if (needsToken && (await (await this.#found)?.isRunning()) === false) this.forget();
    this.#found ??= platform.findHost();
    const found = await this.#found;
    if (found === undefined) {
      this.#found = undefined;
      return { url: defaultUrl, apiKey, isOwner: false };
    }
    const isOwner = needsToken && found.token !== undefined;
    return { url: found.url, apiKey: isOwner ? found.token : apiKey, isOwner };
  }

  /** Makes the next call look again: a host that was restarted may listen elsewhere. */
  forget(): void {
    this.#found = undefined;
  }
}

/** A host that was found without configuration. */
export interface FoundHost {
  readonly url: string;
  /** The owner's token; it is for this address alone. */
  readonly token?: string | undefined;
  /** Whether this very host still runs there. */
  isRunning(): Promise<boolean>;
}

/** Platform the client runs on; `package.json` chooses between a browser and Node. */
export interface Platform {
  /** A variable that was set for the app: of the environment, or a global of the page. */
  variable(name: string): string | undefined;
  /** The host of this platform, if one runs now. */
  findHost(): Promise<FoundHost | undefined>;
}
