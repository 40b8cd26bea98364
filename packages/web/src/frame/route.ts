// Route of the page: what it shows, as it stands in the address after the #, and how to go elsewhere.
import { isId, type SessionUri } from "@holdfast/ahp";
import { useSyncExternalStore } from "react";

export type Route =
  | { readonly place: "home" }
  | { readonly place: "session"; readonly session: SessionUri }
  | { readonly place: "inbox" }
  | { readonly place: "closed" }
  | { readonly place: "terminals" }
  | { readonly place: "host" };

/** Reads what stands after the #; what is none of ours leads home. */
export function readRoute(hash: string): Route {
  const [, place = "", rest = ""] = /^#\/([a-z]*)(?:\/(.*))?$/.exec(hash) ?? [];
  switch (place) {
    case "inbox":
    case "closed":
    case "terminals":
    case "host":
      return { place };
  }
  const session = decode(rest);
  return place === "session" && isId("session URI", session) ? { place, session } : { place: "home" };
}

export function routeHash(route: Route): string {
  if (route.place === "home") return "#/";
  return route.place === "session" ? `#/session/${encodeURIComponent(route.session)}` : `#/${route.place}`;
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
  return readRoute(hash);
}

function listenToAddress(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
