// The views of all channels that somebody follows, shared by all connections of a dialect.
import type { Hub } from "@holdfast/core";
import type { Dialect } from "@holdfast/ahp/dialects";
import { ChannelView } from "./channel-view.ts";

interface SharedView {
  readonly view: ChannelView;
  users: number;
}

/** The views of one host. */
export class ChannelViews {
  readonly #hub: Hub;
  readonly #views = new Map<Dialect, Map<string, SharedView>>();

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  /** How many there are. */
  get size(): number {
    return [...this.#views.values()].reduce((sum, views) => sum + views.size, 0);
  }

  /** The view of a channel; whoever asks for it gives it back. */
  take(dialect: Dialect, uri: string): ChannelView {
    const views = this.#views.get(dialect) ?? new Map<string, SharedView>();
    this.#views.set(dialect, views);
    const shared = views.get(uri) ?? { view: new ChannelView(this.#hub, dialect, uri), users: 0 };
    views.set(uri, shared);
    shared.users += 1;
    return shared.view;
  }

  /** Gives a view back; one that nobody uses is closed. */
  giveBack(view: ChannelView): void {
    const views = this.#views.get(view.dialect);
    const shared = views?.get(view.uri);
    if (views === undefined || shared?.view !== view) return;
    shared.users -= 1;
    if (shared.users > 0) return;
    views.delete(view.uri);
    view.close();
  }
}
