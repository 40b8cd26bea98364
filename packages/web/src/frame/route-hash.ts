// What the page shows, as it stands in the address after the #.
import { isId, type SessionUri } from "@holdfast/ahp";

/** A place in the page. */
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

/** Writes a place as it stands in the address. */
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
