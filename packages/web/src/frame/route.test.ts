// Places in the address.
import { makeId } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { readRoute, routeHash, type Route } from "./route.ts";

const routes: Route[] = [
  { place: "home" },
  { place: "inbox" },
  { place: "closed" },
  { place: "terminals" },
  { place: "host" },
  { place: "session", session: makeId("session URI", "ahp-session:/a b/c%d") },
];

describe("[Z33] a place", () => {
  it.each(routes)("[Z33] $place is found again by its address", (route) => {
    expect(readRoute(routeHash(route))).toEqual(route);
  });

  it.each(["", "#", "#/nowhere", "#/session/", "#/session/%", "#main"])("[Z33] %j leads home", (hash) => {
    expect(readRoute(hash)).toEqual({ place: "home" });
  });
});
