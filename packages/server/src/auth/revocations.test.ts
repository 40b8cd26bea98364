// Requests that end with a right, and watches that are forgotten in time.
import { describe, expect, it } from "vitest";
import { Revocations } from "./revocations.ts";

describe("[A61] what is open in somebody's name", () => {
  it("[A61] ends once when their right does, and nothing of others", () => {
    const revocations = new Revocations();
    const ended: string[] = [];
    for (const name of ["first", "second"]) revocations.watch("key:1", () => ended.push(name));
    revocations.watch("key:2", () => ended.push("other"));
    revocations.revoke("key:1");
    revocations.revoke("key:1");
    revocations.revoke("key:3");
    expect(ended).toEqual(["first", "second"]);
    expect(revocations.size).toBe(1);
  });

  it("[A61] is forgotten once it has ended, even if the right was revoked", () => {
    const revocations = new Revocations();
    const ended: string[] = [];
    const forgetOld = revocations.watch("key:1", () => ended.push("old"));
    revocations.revoke("key:1");
    const forgetNew = revocations.watch("key:1", () => ended.push("new"));
    forgetOld();
    expect(revocations.size).toBe(1);
    forgetNew();
    expect(revocations.size).toBe(0);
    revocations.revoke("key:1");
    expect(ended).toEqual(["old"]);
  });

  it("[A61] ends even when one of them fails, and the failure is thrown", () => {
    const revocations = new Revocations();
    const ended: string[] = [];
    const failure = new Error("no");
    revocations.watch("me", () => {
      throw failure;
    });
    revocations.watch("me", () => ended.push("the other"));
    expect(() => revocations.revoke("me")).toThrow(expect.objectContaining({ errors: [failure] }));
    expect(ended).toEqual(["the other"]);
    expect(revocations.size).toBe(0);
  });

  it("[A61] one who ends another while ending breaks nothing", () => {
    const revocations = new Revocations();
    const ended: string[] = [];
    const forget = revocations.watch("key:1", () => {
      ended.push("first");
      forget();
    });
    revocations.watch("key:1", () => ended.push("second"));
    revocations.revoke("key:1");
    expect(ended).toEqual(["first", "second"]);
  });
});
