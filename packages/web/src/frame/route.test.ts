// Places in the address.
import { makeId } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { readRoute, routeHash, type Route } from "./route.ts";

const session = makeId("session URI", "ahp-session:/a b/c%d");

const routes: Route[] = [
  { place: "home" },
  { place: "inbox" },
  { place: "closed" },
  { place: "terminals" },
  { place: "host", section: "settings" },
  { place: "host", section: "usage" },
  { place: "search", query: "" },
  { place: "search", query: "a & b?" },
  { place: "session", session },
  { place: "session", session, message: makeId("turn", "t/1") },
  { place: "session", session, view: "terminals" },
  { place: "session", session, view: "changes" },
  { place: "session", session, view: "changes", turn: 3 },
  { place: "session", session, view: "changes", file: "src/a b?.ts", line: 12 },
];

describe("[Z33] a place", () => {
  it.each(routes)("[Z33] $place is found again by its address", (route) => {
    expect(readRoute(routeHash(route))).toEqual(route);
  });

  it.each([
    "",
    "#",
    "#/nowhere",
    "#/session/",
    "#/session/%",
    "#/session/a/nothing",
    "#/session/a/changes/b",
    "#main",
  ])("[Z33] %j leads home", (hash) => {
    expect(readRoute(hash)).toEqual({ place: "home" });
  });
});
