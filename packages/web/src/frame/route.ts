// The place where the page is, and how to go to another.
import { useSyncExternalStore } from "react";
import { readRoute, routeHash, type Route } from "./route-hash.ts";

/** Goes to a place. */
export function goTo(route: Route): void {
  location.hash = routeHash(route);
}

/** The place where the page is. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(listenToAddress, () => location.hash);
  return readRoute(hash);
}

function listenToAddress(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}
