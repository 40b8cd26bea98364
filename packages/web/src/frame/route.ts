// Route of the page: what it shows, as it stands in the address after the #, and how to go elsewhere.
import { isId, type SessionUri, type TurnId } from "@holdfast/ahp";
import { useMemo, useSyncExternalStore } from "react";

/** A view of one session; without a name, the conversation. */
export interface SessionRoute {
  readonly place: "session";
  readonly session: SessionUri;
  readonly view?: "changes" | "terminals" | undefined;
  /** Of the conversation: the turn to scroll to. */
  readonly message?: TurnId | undefined;
  /** Of the changes: the turn whose changes are shown, by its number. */
  readonly turn?: number | undefined;
  /** Of the changes: a file that is shown whole, relative to the session's folder, and the line to scroll to. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

export type Route =
  | { readonly place: "home" }
  | SessionRoute
  | { readonly place: "inbox" }
  | { readonly place: "closed" }
  | { readonly place: "terminals" }
  | { readonly place: "search"; readonly query: string }
  | { readonly place: "host"; readonly section: HostSection };

/** The sections of the host page, in their order. */
export const hostSections = [
  "settings",
  "agents",
  "permissions",
  "access",
  "usage",
  "activity",
  "system",
] as const;

export type HostSection = (typeof hostSections)[number];

/** Reads what stands after the #; what is none of ours leads home. */
export function readRoute(hash: string): Route {
  const [, place = "", path = "", query = ""] = /^#\/([a-z]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(hash) ?? [];
  const search = new URLSearchParams(query);
  switch (place) {
    case "inbox":
    case "closed":
    case "terminals":
      return { place };
    case "host":
      return { place, section: hostSections.find((name) => name === path) ?? "settings" };
    case "search":
      return { place, query: search.get("q") ?? "" };
    case "session":
      return readSessionRoute(path, search) ?? { place: "home" };
  }
  return { place: "home" };
}

function readSessionRoute(path: string, search: URLSearchParams): SessionRoute | undefined {
  const [name = "", view = "", ...more] = path.split("/");
  const session = decode(name);
  if (!isId("session URI", session) || more.length > 0) return undefined;
  const message = search.get("message");
  switch (view) {
    case "":
      return { place: "session", session, ...(isId("turn", message) && { message }) };
    case "terminals":
      return { place: "session", session, view };
    case "changes": {
      const file = search.get("file");
      const turn = positive(search.get("turn"));
      const line = positive(search.get("line"));
      return {
        place: "session",
        session,
        view,
        ...(turn !== undefined && { turn }),
        ...(file !== null && file !== "" && { file, ...(line !== undefined && { line }) }),
      };
    }
    default:
      return undefined;
  }
}

export function routeHash(route: Route): string {
  switch (route.place) {
    case "home":
      return "#/";
    case "search":
      return route.query === "" ? "#/search" : `#/search?q=${encodeURIComponent(route.query)}`;
    case "session": {
      const { session, view, message, turn, file, line } = route;
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries({ message, turn, file, line })) {
        if (value !== undefined) query.set(name, String(value));
      }
      const path = `#/session/${encodeURIComponent(session)}${view === undefined ? "" : `/${view}`}`;
      return query.size === 0 ? path : `${path}?${query}`;
    }
    case "host":
      return route.section === "settings" ? "#/host" : `#/host/${route.section}`;
    default:
      return `#/${route.place}`;
  }
}

/** Names what stays on the page while only its view changes. */
export function placeKey(route: Route): string {
  return route.place === "session" ? route.session : route.place;
}

function positive(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the address was not made by us.
    return "";
  }
}

export function goTo(route: Route): void {
  location.hash = routeHash(route);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(listenToAddress, () => location.hash);
  return useMemo(() => readRoute(hash), [hash]);
}

function listenToAddress(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
