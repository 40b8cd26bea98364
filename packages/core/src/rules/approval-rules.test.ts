// Options of an approval: which one an answer means, and which one the host picks.
import { isAllowing } from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import { findOption, pickOption } from "./approval-rules.ts";

const once = { id: "1", label: "Once", kind: "allow_once" };
const always = { id: "2", label: "Always", kind: "allow_always" };
const never = { id: "3", label: "Never", kind: "reject_always" };
const no = { id: "allow_once", label: "No", kind: "reject_once" };

describe("[V2] options", () => {
  test("[V2] an answer is a kind before it is an option's id, and never an option of another kind", () => {
    expect(findOption([once, no], "1")).toBe(once);
    expect(findOption([once, no], "allow_once")).toBe(once);
    expect(findOption([no], "allow_once")).toBeUndefined();
    expect(findOption([{ ...once, id: "reject_once" }], "reject_once")).toBeUndefined();
    expect(findOption([once, never], "allow_once")).toBe(once);
    expect(findOption([once, { ...once, id: "4" }], "allow_once")).toBeUndefined();
    expect(findOption([once, never], "maybe")).toBeUndefined();
  });

  test("[V2] an option that the host chooses is for this time before it is for always", () => {
    expect(pickOption([always, once], "allow")).toBe(once);
    expect(pickOption([always, never], "allow")).toBe(always);
    expect(pickOption([always, never], "reject")).toBe(never);
    expect(pickOption([always, once], "reject")).toBeUndefined();
    expect([once, always, no, never].map(({ kind }) => isAllowing(kind))).toEqual([true, true, false, false]);
    // A kind that nobody knows is never shown as a denial.
    expect(isAllowing("proceed")).toBe(true);
  });
});
