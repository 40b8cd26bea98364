// The profile for macOS, as text.
import { describe, expect, it } from "vitest";
import { seatbeltProfile } from "./seatbelt.ts";

const spec = {
  hidden: ["/Users/me/.holdfast"],
  visible: ["/Users/me/.holdfast/agents"],
  readOnly: ["/opt/holdfast"],
  writable: ['/Users/me/it"s work'],
} as const;

describe("the profile of sandbox-exec", () => {
  it("[T651] allows everything under guard but the hidden, and writes but to read-only paths", () => {
    expect(
      seatbeltProfile({ level: "guard", ...spec })
        .split("\n")
        .slice(6),
    ).toEqual([
      '(deny file-write* (subpath "/opt/holdfast"))',
      '(allow file-write* (subpath "/Users/me/it\\"s work"))',
      '(deny file-read* file-write* (subpath "/Users/me/.holdfast"))',
      '(allow file-read* (subpath "/Users/me/.holdfast/agents"))',
      '(allow file-write* (subpath "/Users/me/.holdfast/agents"))',
      "",
    ]);
  });

  it("[T649] allows writes to visible paths under workspace only where they are writable", () => {
    const writable = ["/Users/me/.holdfast/agents/one", "/Users/me/.holdfast/own"];
    const visible = [...spec.visible, "/Users/me/.holdfast/own/two"];
    const lines = seatbeltProfile({ ...spec, level: "workspace", visible, writable }).split("\n");
    expect(lines.slice(-4)).toEqual([
      '(deny file-read* file-write* (subpath "/Users/me/.holdfast"))',
      '(allow file-read* (subpath "/Users/me/.holdfast/agents") (subpath "/Users/me/.holdfast/own/two"))',
      '(allow file-write* (subpath "/Users/me/.holdfast/own/two") (subpath "/Users/me/.holdfast/agents/one"))',
      "",
    ]);
  });

  it("[T651] allows writes under workspace only where they are listed", () => {
    const lines = seatbeltProfile({ level: "workspace", ...spec }).split("\n");
    expect(lines.indexOf("(deny file-write*)")).toBeLessThan(
      lines.indexOf('(allow file-write* (subpath "/Users/me/it\\"s work") (subpath "/dev"))'),
    );
    expect(lines).toContain('(allow file-read* (subpath "/Users/me/.holdfast/agents"))');
    expect(lines).toContain("(version 1)");
    expect(lines).toContain("(deny process-info* (target others))");
  });
});
