// Contract of storages, as a suite of tests that each implementation runs.
import { afterEach, beforeEach, describe } from "vitest";
import type { Hub } from "../../channel/hub.ts";
import type { Storage } from "../../ports.ts";
import { describeChannels } from "./channels.ts";
import { describeLogs } from "./logs.ts";
import { describeOmittedTurns } from "./omitted-turns.ts";
import { describeProperties } from "./properties.ts";
import { describeRecords } from "./records.ts";
import { describeRuns } from "./runs.ts";
import { openHub } from "./samples.ts";
import { describeSearch } from "./search.ts";
import { describeRemoval, describeSessions } from "./sessions.ts";
import type { StorageHome, WantedStorage, World } from "./world.ts";

/** Tests an implementation of the port. */
export function storageContract(name: string, makeHome: () => Promise<StorageHome>): void {
  describe(`the ${name} storage`, () => {
    let home: StorageHome;
    let storage: Storage;
    let hub: Hub;
    const start = async (wanted?: WantedStorage): Promise<void> => {
      storage = await home.open(wanted);
      hub = openHub(storage);
    };
    beforeEach(async () => {
      home = await makeHome();
    });
    afterEach(async () => {
      storage.close();
      await home.remove();
    });
    const world: World = {
      start,
      storage: () => storage,
      hub: () => hub,
      restart: async (isClean) => {
        if (isClean) storage.close();
        await start();
      },
    };

    describeChannels(world);
    describeLogs(world);
    describeOmittedTurns(world);
    describeSessions(world);
    describeRemoval(world);
    describeRecords(world);
    describeRuns(world);
    describeSearch(world);
  });
  describe(`the ${name} storage, whatever happens`, () => {
    describeProperties(makeHome);
  });
}
