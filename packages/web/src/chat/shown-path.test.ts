// Paths as a conversation shows them.
import { expect, it } from "vitest";
import { withoutFolder } from "./shown-path.ts";

it.each([
  ["/srv/garden/src/rose.ts", "src/rose.ts"],
  ["Edit /srv/garden/a.md and /srv/garden/b.md:3", "Edit a.md and b.md:3"],
  ["`/srv/garden/a.md`", "`a.md`"],
  // Other folders, and the folder itself.
  ["/srv/gardens/a.md", "/srv/gardens/a.md"],
  ["/srv/garden", "/srv/garden"],
  ["ls /srv/garden/", "ls /srv/garden/"],
  ["ls /srv/garden/ now", "ls /srv/garden/ now"],
  ["/mnt/srv/garden/a.md", "/mnt/srv/garden/a.md"],
  ["file:///srv/garden/a.md", "file:///srv/garden/a.md"],
  ["/srv/garden//etc/passwd", "/srv/garden//etc/passwd"],
])("[Z918] %j is shown as %j in /srv/garden", (text, shown) => {
  expect(withoutFolder(text, "/srv/garden")).toBe(shown);
  expect(withoutFolder(text, "/srv/garden/")).toBe(shown);
});

it("[Z918] nothing is left out of paths in the root folder, and where there is no folder", () => {
  expect(withoutFolder("/etc/hosts", "/")).toBe("/etc/hosts");
  expect(withoutFolder("/etc/hosts", "")).toBe("/etc/hosts");
});
