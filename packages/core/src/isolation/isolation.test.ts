// Which folders of the host's program a sandbox leaves writable, by where its session works.
import { expect, test } from "vitest";
import { Isolation } from "./isolation.ts";

const checkout = "/src/holdfast";
const paths = { hidden: ["/home/host"], readOnly: [checkout], private: [] };
const isolation = new Isolation(
  { level: "guard", require: false, writable: [], visible: [], hidden: [], keepSecrets: [] },
  paths,
);

const writableIn = (level: "guard" | "workspace", root: string): readonly string[] =>
  isolation
    .specFor(level, { roots: [root], ownFolders: [] })
    .writable.filter((each) => each.startsWith("/src"));

test.each([
  ["elsewhere", "/src/other", []],
  ["above the checkout", "/src", []],
  ["the checkout", checkout, [checkout, `${checkout}/.git`]],
  ["in the checkout", `${checkout}/packages/web`, [`${checkout}/packages/web`, `${checkout}/.git`]],
])(
  "[V702] under guard a session %s may change of the checkout what it works on",
  (_where, root, writable) => {
    expect(writableIn("guard", root)).toEqual(writable);
  },
);

test("[V702] under workspace the checkout cannot be changed from above", () => {
  const { readOnly, fixed = [] } = isolation.specFor("workspace", { roots: ["/src"], ownFolders: [] });
  expect([readOnly, fixed.includes(checkout)]).toEqual([[], true]);
  const inside = isolation.specFor("workspace", { roots: [checkout], ownFolders: [] });
  expect([inside.readOnly, inside.fixed?.includes(checkout)]).toEqual([[checkout], false]);
});
