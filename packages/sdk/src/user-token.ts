// The user's token that a host may lend an app: asked for before the first call, and again when it is refused.

/** Asks the host for the token; an empty text when it has none to give. */
export type AskForToken = () => Promise<string>;

/** The token of one client, asked for once for all of its calls. */
export class UserToken {
  readonly #ask: AskForToken;
  #token: Promise<string> | undefined;

  constructor(ask: AskForToken) {
    this.#ask = ask;
  }

  /** The token, or an empty text; a host that has none is no failure (X9). */
  get(): Promise<string> {
    this.#token ??= this.#ask();
    return this.#token;
  }

  /** Another token in place of one that was refused; undefined when there is no other (X10). */
  async renew(refused: string): Promise<string | undefined> {
    const asked = this.#token;
    // A call that was refused at the same time may have asked anew already.
    if ((await asked) === refused && this.#token === asked) this.#token = undefined;
    const token = await this.get();
    return token === "" || token === refused ? undefined : token;
  }
}
