// Apps: registrations, and the owner's decisions on them.
import { MemoryMeta } from "@holdfast/core/testing";
import { describe, expect, it } from "vitest";
import { AppStore } from "./app-store.ts";

const dayMs = 24 * 60 * 60 * 1000;

function openStore(meta = new MemoryMeta()) {
  const clock = { nowMs: Date.parse("2026-01-02T03:04:05.000Z") };
  const lines: string[] = [];
  const apps = new AppStore({
    meta,
    log: (level) => lines.push(level),
    now: () => new Date(clock.nowMs),
  });
  return { meta, clock, lines, apps };
}

const registration = { id: "app-1", name: "Planner", permissions: ["acp.agent"] };

describe("[A66] a registration", () => {
  it("[A66] is written down, and grants nothing", () => {
    const { apps, meta } = openStore();
    const app = apps.register(registration);
    expect(app).toEqual({
      state: "waiting",
      id: "app-1",
      name: "Planner",
      requested: ["acp.agent"],
      registeredAt: "2026-01-02T03:04:05.000Z",
    });
    expect(openStore(meta).apps.list()).toEqual([app]);
  });

  it("[A66] knows only what an app can be granted", () => {
    const { apps } = openStore();
    const permissions = ["llm.chat", "admin", "terminal", "acp.agent", "acp.agent", "__proto__"];
    expect(apps.register({ ...registration, permissions }).requested).toEqual(["acp.agent", "terminal"]);
  });

  it("[A66] said again, it is renewed; what was granted or refused stays", () => {
    const { apps, clock } = openStore();
    apps.register(registration);
    clock.nowMs += 1000;
    const again = apps.register({ id: "app-1", name: undefined, permissions: ["terminal"] });
    expect(again).toMatchObject({ name: "Planner", requested: ["terminal"] });
    expect(again.registeredAt).toBe("2026-01-02T03:04:06.000Z");
    apps.grant("app-1", ["terminal"]);
    const granted = apps.register({ ...registration, name: "Something else" });
    expect(granted).toMatchObject({ state: "granted", name: "Planner", permissions: ["terminal"] });
    apps.refuse("app-1");
    expect(apps.register(registration)).toMatchObject({ state: "refused", requested: ["acp.agent"] });
  });

  it("[A66] a flood of registrations is limited, and takes nothing from known apps", () => {
    const { apps, meta } = openStore();
    apps.grant("granted", ["acp.agent"]);
    apps.register({ ...registration, id: "early" });
    let refused = 0;
    for (let index = 0; index < 1000; index += 1) {
      try {
        apps.register({ ...registration, id: `flood-${index}` });
      } catch (error) {
        expect(error).toMatchObject({ code: "RATE_LIMITED" });
        refused += 1;
      }
    }
    expect(refused).toBe(901);
    expect(apps.list()).toHaveLength(101);
    expect(meta.keys("app/")).toHaveLength(101);
    expect(apps.register({ ...registration, id: "early" }).state).toBe("waiting");
    expect(apps.register({ ...registration, id: "granted" }).state).toBe("granted");
  });

  it("[A66] those that are not repeated for a day are dropped in favour of others", () => {
    const { apps, clock } = openStore();
    for (let index = 0; index < 100; index += 1) apps.register({ ...registration, id: `flood-${index}` });
    clock.nowMs += dayMs - 1000;
    apps.register({ ...registration, id: "flood-7" });
    const late = { ...registration, id: "late" };
    expect(() => apps.register(late)).toThrow(
      expect.objectContaining({ details: { retryAfterSeconds: 1 } }) as Error,
    );
    clock.nowMs += 1000;
    apps.register(late);
    expect(apps.list().map(({ id }) => id)).toEqual(["flood-7", "late"]);
  });
});

describe("[A75] the owner's word", () => {
  it("[A75] is kept, and may come before the registration", () => {
    const { apps, meta } = openStore();
    apps.grant("known", ["acp.agent"], { name: "Known" });
    apps.register(registration);
    apps.refuse("app-1");
    expect(openStore(meta).apps.list()).toMatchObject([
      { id: "app-1", state: "refused" },
      { id: "known", state: "granted", name: "Known", permissions: ["acp.agent"], requested: [] },
    ]);
    expect(apps.remove("known")).toBe(true);
    expect(apps.remove("known")).toBe(false);
    expect(apps.refuse("known")).toBeUndefined();
    expect(openStore(meta).apps.find("known")).toBeUndefined();
  });

  it("[A622] has a ceiling, also in a record of a version without", () => {
    const { apps, meta } = openStore();
    apps.grant("new", ["acp.agent"], { ceiling: { policy: "approve-all", agents: ["shell"] } });
    const { ceiling: _ceiling, ...record } = apps.grant("old", ["acp.agent"]) as Record<string, unknown>;
    meta.set("app/old", JSON.stringify(record));
    const next = openStore(meta).apps;
    expect(next.find("new")).toMatchObject({ ceiling: { policy: "approve-all", agents: ["shell"] } });
    expect(next.find("old")).toMatchObject({ ceiling: { policy: "approve-reads" } });
  });

  it("[A75] a right that was taken back is gone even where that cannot be written down", () => {
    const { apps, meta } = openStore();
    apps.grant("app-1", ["acp.agent", "terminal"]);
    meta.set = () => {
      throw new Error("The disk is full");
    };
    expect(() => apps.refuse("app-1")).toThrow("disk");
    expect(apps.find("app-1")).toBeUndefined();
  });

  it("[A75] a record that cannot be read grants nothing and is reported", () => {
    const meta = new MemoryMeta();
    meta.set("app/odd", JSON.stringify({ id: "odd", state: "granted", permissions: ["admin"] }));
    const { apps, lines } = openStore(meta);
    expect(apps.find("odd")).toBeUndefined();
    expect(lines).toEqual(["error"]);
  });
});
