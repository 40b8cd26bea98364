// Contract of storages for the runs of agents.
import { newRootState, ROOT_URI } from "@holdfast/ahp";
import { expect, it } from "vitest";
import type { RunProgress } from "../../channel/journal.ts";
import type { CommitParticipant } from "../../channel/publisher.ts";
import type { World } from "./world.ts";

const progress: RunProgress = {
  run: "r",
  session: "ahp-session:/s",
  handledOffset: 0,
  sentOffset: 0,
  takenOffset: 0,
  frames: [],
  opened: [],
  answered: [],
};

export function describeRuns({ start, restart, storage, hub }: World): void {
  const commit = async (...records: ReturnType<CommitParticipant["takeRecords"]>): Promise<void> => {
    hub().join({ takeRecords: () => records, committed: () => {} });
    await hub().settled();
  };

  it("[D720] keeps how far a run has come: offsets, state, frames that may not have arrived, open requests", async () => {
    await start();
    await commit({
      type: "run",
      ...progress,
      handledOffset: 70,
      sentOffset: 12,
      frames: [
        { offset: 0, text: "grüß\n" },
        { offset: 7, text: "next\n" },
      ],
      opened: [
        { offset: 5, text: '{"id":1}' },
        { offset: 40, text: '{"id":2}' },
      ],
      state: '{"a":1}',
    });
    await commit({ type: "run", ...progress, run: "other" });
    await restart(false);
    expect(storage().runs()).toEqual([
      {
        run: "r",
        session: progress.session,
        handledOffset: 70,
        sentOffset: 12,
        state: '{"a":1}',
        frames: [
          { offset: 0, text: "grüß\n" },
          { offset: 7, text: "next\n" },
        ],
        requests: [
          { offset: 5, text: '{"id":1}' },
          { offset: 40, text: '{"id":2}' },
        ],
      },
      expect.objectContaining({ run: "other", state: "{}", frames: [], requests: [] }),
    ]);
    const next = { ...progress, handledOffset: 90, sentOffset: 12, takenOffset: 7, answered: [5] };
    await commit({ type: "run", ...next }, { type: "runEnded", run: "other" });
    await restart(false);
    expect(storage().runs()).toEqual([
      expect.objectContaining({
        handledOffset: 90,
        state: '{"a":1}',
        frames: [{ offset: 7, text: "next\n" }],
        requests: [{ offset: 40, text: '{"id":2}' }],
      }),
    ]);
    await commit({ type: "runEnded", run: "r" });
    await restart(true);
    expect(storage().runs()).toEqual([]);
  });

  it("[H720] commits what a participant adds with the actions of the whole tick, also those after settled promises", async () => {
    await start();
    hub().open(ROOT_URI, "root", newRootState());
    const commits: number[] = [];
    let actions = 0;
    const dispatch = (): void => {
      actions += 1;
      hub().dispatch(ROOT_URI, { type: "root/terminalsChanged", terminals: [] });
      hub().join(participant);
    };
    const participant: CommitParticipant = {
      takeRecords: () => {
        commits.push(actions);
        return [{ type: "run", ...progress, handledOffset: actions }];
      },
      committed: () => expect(storage().runs()[0]?.handledOffset).toBe(actions),
    };
    dispatch();
    for (let step = 0; step < 20; step += 1) {
      await Promise.resolve();
      dispatch();
    }
    await hub().settled();
    expect(commits).toEqual([21]);
  });
}
