// Where the host is and what opens it: as it was told, or as it is found, again after it could not be reached.
import type { FoundHost, Surroundings } from "./surroundings/surroundings.ts";

/** Where requests go. */
export interface HostPlace {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Whether the key is the owner's, found together with the address: then nothing else need be asked for. */
  readonly isOwner: boolean;
}

/** What is known of the host beforehand. */
export interface AddressOptions {
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly appId: string | undefined;
  readonly surroundings: Surroundings;
}

/** Where RealtimeX listens, whose apps name no address. */
const defaultUrl = "http://localhost:3001";

/** The address of one client's host. */
export class HostAddress {
  readonly #options: AddressOptions;
  #found: Promise<FoundHost | undefined> | undefined;

  constructor(options: AddressOptions) {
    this.#options = options;
  }

  /** Where the host is now. The token of a home goes to that home's host alone, and not in the name of an app (X6). */
  async locate(): Promise<HostPlace> {
    const { baseUrl, apiKey, appId, surroundings } = this.#options;
    if (baseUrl !== undefined) return { url: baseUrl, apiKey, isOwner: false };
    this.#found ??= surroundings.findHost();
    const found = await this.#found;
    if (found === undefined) {
      this.#found = undefined;
      return { url: defaultUrl, apiKey, isOwner: false };
    }
    const isOwner = apiKey === undefined && appId === undefined && found.token !== undefined;
    return { url: found.url, apiKey: isOwner ? found.token : apiKey, isOwner };
  }

  /** Looks anew at the next call: a host that was started again may listen elsewhere. */
  forget(): void {
    this.#found = undefined;
  }
}
