// Requests to the host: finds it, authenticates the caller, and maps failures to errors.
import { HoldfastError, readFailure } from "./error.ts";
import type { HostAddress, HostPlace } from "./host-address.ts";
import { abortable, NotRespondingError, whileResponding } from "./response-watch.ts";

export interface HostRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of any call. */
export interface CallOptions {
  /** Breaks the call off; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

interface ConnectionOptions {
  readonly address: HostAddress;
  readonly appId: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** A host without an answer to this has no token to lend; nobody should wait for it. */
const tokenTimeoutMs = 10_000;

/** The way to one host. It holds nothing open between calls. */
export class Connection {
  readonly #address: HostAddress;
  readonly #appId: string | undefined;
  readonly #fetch: typeof globalThis.fetch;
  readonly #userToken = new UserToken(() => this.#askForToken());

  constructor({ address, appId, fetch }: ConnectionOptions) {
    this.#address = address;
    this.#appId = appId;
    // Called as a method of anything but the page, a browser's own would refuse.
    this.#fetch = (input, init) => (fetch ?? globalThis.fetch)(input, init);
  }

  /** The answer of a call that is answered in JSON. */
  async ask(request: HostRequest): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.send(request);
    const text = await this.#readText(response, request);
    try {
      const answer: unknown = JSON.parse(text);
      if (typeof answer === "object" && answer !== null) return { ...answer };
    } catch (cause) {
      throw invalidAnswer(request, response.status, cause);
    }
    throw invalidAnswer(request, response.status);
  }

  /** One member of the answer, which must be there. What is in it is the host's word, by the contract. */
  async askFor<Value>(member: string, request: HostRequest): Promise<Value> {
    const answer = await this.ask(request);
    if (answer[member] === undefined) throw invalidAnswer(request, 200);
    return answer[member] as Value;
  }

  /** The answer as it begins to come in; one other than 2xx is an error. */
  async send(request: HostRequest): Promise<Response> {
    const { signal } = request;
    const place = await abortable(this.#address.locate(), signal);
    if (place.isOwner) return accept(await this.#fetchFrom(place, request, ""));
    const token = await abortable(this.#userToken.get(), signal);
    const response = await this.#fetchFrom(place, request, token);
    if (response.status !== 401) return accept(response);
    const renewed = await abortable(this.#userToken.renew(token), signal);
    if (renewed === undefined) return accept(response);
    await response.body?.cancel();
    return accept(await this.#fetchFrom(place, request, renewed));
  }

  /** Sends the permissions that the app requests, without credentials; returns the host's message. */
  async register(request: object): Promise<string> {
    const { url } = await this.#address.locate();
    const response = await this.#fetch(`${url}/sdk/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
    const { message } = (await (await accept(response)).json()) as { message?: unknown };
    return typeof message === "string" ? message : "";
  }

  async #fetchFrom(place: HostPlace, request: HostRequest, userToken: string): Promise<Response> {
    const { method, path, query, headers = {}, body, signal } = request;
    const all = { ...this.#headersFor(place), ...headers };
    if (userToken !== "") all["Authorization"] = `Bearer ${userToken}`;
    return this.#watched(place.url, request, () =>
      this.#fetch(`${place.url}${path}${formatQuery(query)}`, {
        method,
        headers: withoutAbsent(all),
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      }),
    );
  }

  async #readText(response: Response, request: HostRequest): Promise<string> {
    const { url } = await this.#address.locate();
    return this.#watched(url, request, () => response.text());
  }

  /** Waits for something from the host as long as that responds at all (X220). */
  async #watched<Value>(url: string, request: HostRequest, respond: () => Promise<Value>): Promise<Value> {
    const ping = async (signal: AbortSignal): Promise<void> => {
      // Whatever the answer is, somebody gave it.
      await (await this.#fetch(`${url}/healthz`, { signal })).body?.cancel();
    };
    try {
      return await whileResponding(respond, ping);
    } catch (cause) {
      throw cause instanceof NotRespondingError
        ? notResponding(url, cause)
        : this.#connectionFailed(url, request, cause);
    }
  }

  #connectionFailed(url: string, { signal }: HostRequest, cause: unknown): HoldfastError {
    signal?.throwIfAborted();
    this.#address.forget();
    return new HoldfastError(
      "CONNECTION_FAILED",
      `The host at ${url} cannot be reached. See that it runs, and that this is its address.`,
      { cause },
    );
  }

  #headersFor({ apiKey }: HostPlace): Record<string, string | undefined> {
    return { "Content-Type": "application/json", "x-app-id": this.#appId, "x-api-key": apiKey };
  }

  async #askForToken(): Promise<string> {
    try {
      const place = await this.#address.locate();
      const request = {
        method: "GET",
        path: "/sdk/auth/token",
        signal: AbortSignal.timeout(tokenTimeoutMs),
      } as const;
      const response = await this.#fetchFrom(place, request, "");
      const { token } = JSON.parse(await this.#readText(response, request)) as { token?: unknown };
      return response.ok && typeof token === "string" ? token : "";
    } catch (error) {
      // The call itself would wait as long again, for the same error.
      if (error instanceof HoldfastError && error.code === "HOST_NOT_RESPONDING") throw error;
      // Most hosts have none to give. If the host cannot be reached at all, the call itself will say so.
      return "";
    }
  }
}

function notResponding(url: string, cause: unknown): HoldfastError {
  return new HoldfastError(
    "HOST_NOT_RESPONDING",
    `The host at ${url} has not responded for 5 s. It is overloaded or hangs.`,
    { cause },
  );
}

async function accept(response: Response): Promise<Response> {
  if (!response.ok) throw await readFailure(response);
  return response;
}

function formatQuery(query: HostRequest["query"] = {}): string {
  const parameters = new URLSearchParams(withoutAbsent(query)).toString();
  return parameters === "" ? "" : `?${parameters}`;
}

function withoutAbsent(members: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

function invalidAnswer({ method, path }: HostRequest, status: number, cause?: unknown): HoldfastError {
  return new HoldfastError(
    "INVALID_RESPONSE",
    `The answer to ${method} ${path} is not what a host answers. See that the address is a host's.`,
    { status, cause },
  );
}

/** Asks the host for the token; an empty text when it has none to give. */
type AskForToken = () => Promise<string>;

/** The token of one client, asked for once for all of its calls. */
class UserToken {
  readonly #ask: AskForToken;
  #token: Promise<string> | undefined;

  constructor(ask: AskForToken) {
    this.#ask = ask;
  }

  /** The token, or an empty text; a host that has none is no failure (X9). What rejects is asked again by the next call. */
  get(): Promise<string> {
    this.#token ??= this.#ask().catch((error: unknown) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  /** Another token in place of one that was refused; undefined when there is no other (X10). */
  async renew(refused: string): Promise<string | undefined> {
    const asked = this.#token;
    // A call that was refused at the same time may have asked again already.
    if ((await asked) === refused && this.#token === asked) this.#token = undefined;
    const token = await this.get();
    return token === "" || token === refused ? undefined : token;
  }
}
