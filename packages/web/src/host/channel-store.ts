// One channel as components see it: followed while a component uses it, with one notification a frame.
import type { ChannelActions, ChannelKind, ChannelStates } from "@holdfast/ahp";
import type {
  AhpClient,
  ChannelEvent,
  ChannelHandle,
  DispatchOptions,
  DispatchOutcome,
} from "@holdfast/ahp/client";
import { atNextFrame } from "./next-frame.ts";

export type ChannelView<Kind extends ChannelKind> =
  | { readonly status: "loading" }
  | { readonly status: "live"; readonly state: ChannelStates[Kind] }
  /** It is no more, or never was; `reason` is for people. */
  | { readonly status: "gone"; readonly reason: string };

/** Scrolling past something and back should not ask the host for it again. */
const lingerMs = 3000;

const loading = { status: "loading" } as const;

/** A channel that is followed while it has listeners, and a moment longer. */
export class ChannelStore<Kind extends ChannelKind> {
  readonly uri: string;
  readonly #kind: Kind;
  readonly #client: AhpClient;
  readonly #tap: (event: ChannelEvent<Kind>) => void;
  readonly #onIdle: () => void;
  readonly #listeners = new Set<() => void>();
  #view: ChannelView<Kind> = loading;
  #following: Promise<ChannelHandle<Kind> | undefined> | undefined;
  #lingering: ReturnType<typeof setTimeout> | undefined;

  /** `tap` hears every event at once; `onIdle` is called when nobody has listened for a while. */
  constructor(
    client: AhpClient,
    uri: string,
    kind: Kind,
    onIdle: () => void,
    tap: (event: ChannelEvent<Kind>) => void = () => undefined,
  ) {
    this.#client = client;
    this.uri = uri;
    this.#kind = kind;
    this.#onIdle = onIdle;
    this.#tap = tap;
  }

  /** The newest view; the same object until something changes. */
  readonly view = (): ChannelView<Kind> => this.#view;

  /** Follows the channel until the returned function is called. */
  readonly listen = (listener: () => void): (() => void) => {
    clearTimeout(this.#lingering);
    this.#listeners.add(listener);
    this.#following ??= this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#lingering = setTimeout(() => this.#leave(), lingerMs);
    };
  };

  /** Sends an action, following the channel for as long as that takes. */
  async dispatch(action: ChannelActions[Kind], options?: DispatchOptions): Promise<DispatchOutcome> {
    const stop = this.listen(() => undefined);
    try {
      const handle = await this.#following;
      return handle
        ? await handle.dispatch(action, options)
        : { status: "rejected", reason: "It no longer exists." };
    } finally {
      stop();
    }
  }

  /** Asks for its state again and follows it from there: a session that was reopened has news again. */
  async refresh(): Promise<void> {
    await (await this.#following)?.refresh();
  }

  async #follow(): Promise<ChannelHandle<Kind> | undefined> {
    try {
      const handle = await this.#client.subscribe(this.uri, this.#kind, {
        onEvent: (event) => this.#take(event),
      });
      // A second subscriber of a followed channel gets no event until something changes.
      if (this.#view.status === "loading") this.#become({ status: "live", state: handle.state });
      return handle;
    } catch (error) {
      this.#become({ status: "gone", reason: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  #take(event: ChannelEvent<Kind>): void {
    if (event.type === "gone") {
      if (this.#view.status === "live") this.#become({ status: "gone", reason: "It no longer exists." });
    } else this.#become({ status: "live", state: event.state });
    this.#tap(event);
  }

  #become(view: ChannelView<Kind>): void {
    this.#view = view;
    atNextFrame(this.#notify);
  }

  readonly #notify = (): void => {
    for (const listener of this.#listeners) listener();
  };

  #leave(): void {
    const following = this.#following;
    this.#following = undefined;
    this.#view = loading;
    void following?.then((handle) => handle?.close());
    this.#onIdle();
  }
}
