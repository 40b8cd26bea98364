// Entries of the palette: actions, sessions, agents, terminals; and the best of them for a search.
import type { RootState, SessionSummary } from "@holdfast/ahp";
import { goTo } from "../frame/route.ts";
import { groupByAttention } from "../session/attention.ts";
import { pathOf, phaseWords, sessionName } from "../session/session-words.ts";
import { fuzzyMatch } from "./fuzzy.ts";
import type { OfferedAction } from "./offered-actions.ts";
import { type ActionId, shortcuts } from "./shortcuts.ts";

export interface PaletteItem {
  readonly key: string;
  readonly kind: "session" | "action" | "agent" | "terminal" | "search";
  readonly label: string;
  readonly detail?: string | undefined;
  /** Keys that do the same. */
  readonly keys?: string | undefined;
  readonly run: () => void;
}

export interface RankedItem {
  readonly item: PaletteItem;
  /** The matched letters of the label. */
  readonly places: readonly number[];
}

export type Actions = Readonly<Partial<Record<ActionId, () => void>>>;

/**
 * All items: sessions as the list of sessions has them, actions of the view and of the page, agents that can be used,
 * terminals. `openNewSession` opens the dialog with an agent chosen.
 */
export function paletteItems(
  root: RootState | undefined,
  actions: Actions,
  openNewSession: (agent: string) => void,
  offered: readonly OfferedAction[] = [],
): PaletteItem[] {
  const { sessions = [], terminals = [], agents = [] } = root ?? {};
  return [
    ...groupByAttention(sessions)
      .flatMap((group) => group.sessions)
      .map(sessionItem),
    ...offered.map((action): PaletteItem => ({ key: `offered ${action.label}`, kind: "action", ...action })),
    ...shortcuts.flatMap(({ id, label, detail, keys }): PaletteItem[] => {
      const run = id === undefined || id === "palette" ? undefined : actions[id];
      if (run === undefined) return [];
      return [{ key: `action ${id}`, kind: "action", label, detail, keys: keys?.[0], run }];
    }),
    ...agents.filter(canStart).map(({ provider, displayName }): PaletteItem => ({
      key: `agent ${provider}`,
      kind: "agent",
      label: `New session with ${displayName}`,
      run: () => openNewSession(provider),
    })),
    ...terminals
      .filter(({ lifecycle }) => lifecycle.status === "running")
      .map(({ resource, title, session }): PaletteItem => {
        const owner = sessions.find((each) => each.resource === session);
        return {
          key: resource,
          kind: "terminal",
          label: title,
          detail: owner === undefined ? "Terminal" : sessionName(owner),
          run: () =>
            goTo(
              owner === undefined
                ? { place: "terminals" }
                : { place: "session", session: owner.resource, view: "terminals" },
            ),
        };
      }),
  ];
}

/** Agents that are not installed have their commands in the dialog. */
function canStart({ installation, launch }: RootState["agents"][number]): boolean {
  return installation.status === "installed" && launch === "acp";
}

function sessionItem(session: SessionSummary): PaletteItem {
  const folder = pathOf(session.workingDirectories[0]);
  return {
    key: session.resource,
    kind: "session",
    label: sessionName(session),
    detail: [phaseWords(session.phase).text, session.provider, folder]
      .filter((part) => part !== "")
      .join(" · "),
    run: () => goTo({ place: "session", session: session.resource }),
  };
}

const maxShown = 50;
/** Without a search, the other items should be in reach, however many sessions there are. */
const maxFirstSessions = 7;

/** The items that fit a search, the best first; without one, a few sessions and all others in their order. The last one searches the text. */
export function rankItems(items: readonly PaletteItem[], search: string): RankedItem[] {
  const words = search.trim();
  if (words === "") {
    const left = new Set(items.filter(({ kind }) => kind === "session").slice(maxFirstSessions));
    const shown = items.filter((item) => !left.has(item)).slice(0, maxShown);
    return shown.map((item) => ({ item, places: [] }));
  }
  const fitting = items.flatMap((item) => {
    const inLabel = fuzzyMatch(words, item.label);
    if (inLabel !== undefined) return [{ item, score: inLabel.score + 5, places: inLabel.places }];
    const inAll = fuzzyMatch(words, `${item.label} ${item.detail ?? ""}`);
    if (inAll === undefined) return [];
    return [{ item, score: inAll.score, places: inAll.places.filter((place) => place < item.label.length) }];
  });
  const best = fitting.toSorted((one, other) => other.score - one.score).slice(0, maxShown);
  return [
    ...best.map(({ item, places }) => ({ item, places })),
    {
      item: {
        key: "search",
        kind: "search",
        label: `Search all sessions for “${words}”`,
        run: () => goTo({ place: "search", query: words }),
      },
      places: [],
    },
  ];
}
