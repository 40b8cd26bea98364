// What the client takes from the place it runs in; package.json chooses between a browser's and Node's.

/** A host that was found without being told of. */
export interface FoundHost {
  readonly url: string;
  /** The owner's token; it is for this address alone. */
  readonly token?: string | undefined;
}

/** The place the client runs in. */
export interface Surroundings {
  /** What whoever started the app has set for it under this name. */
  variable(name: string): string | undefined;
  /** The host of this place, if there is one now. */
  findHost(): Promise<FoundHost | undefined>;
}
