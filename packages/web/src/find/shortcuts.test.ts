// The table of shortcuts.
import { describe, expect, it } from "vitest";
import { actionOf, keyNames, shortcuts } from "./shortcuts.ts";

const plain = { ctrlKey: false, metaKey: false, altKey: false };

describe("[Z852] shortcuts", () => {
  it("[Z852] have one action for each key", () => {
    const keys = shortcuts.flatMap(({ id, keys: own = [] }) => (id === undefined ? [] : own));
    expect(new Set(keys).size).toBe(keys.length);
    for (const { id, keys: [key] = [] } of shortcuts) {
      if (id === undefined || key === undefined) continue;
      const isModified = key.startsWith("mod+");
      const pressed = { ...plain, ctrlKey: isModified, key: key.replace("mod+", "") };
      expect(actionOf(pressed, false)).toBe(id);
      expect(actionOf(pressed, true)).toBe(isModified ? id : undefined);
    }
  });

  it("[Z852] share no key with the answers to a question", () => {
    const answers = shortcuts.filter(({ group }) => group === "Approvals").flatMap(({ keys = [] }) => keys);
    expect(answers).toEqual(["y", "a", "n", "j", "k"]);
    for (const key of answers) expect(actionOf({ ...plain, key }, false)).toBeUndefined();
  });

  it("[Z852] leave the browser's own keys alone", () => {
    expect(actionOf({ ...plain, ctrlKey: true, key: "t" }, false)).toBeUndefined();
    expect(actionOf({ ...plain, altKey: true, key: "n" }, false)).toBeUndefined();
    expect(actionOf({ ...plain, metaKey: true, key: "K" }, true)).toBe("palette");
  });

  it("[Z852] are named as on the keyboard", () => {
    expect(keyNames("mod+k", true)).toEqual(["⌘", "K"]);
    expect(keyNames("mod+enter", false)).toEqual(["Ctrl", "Enter"]);
  });
});
