// A repository of many files, and an agent that changes 500 of them.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { run, startReviewScene, type ReviewScene } from "./review-scene.ts";

const filesOfPart = 100;
const changedCount = 500;

export interface LargeRepository extends ReviewScene {
  readonly fileCount: number;
}

/** Makes it with so many folders of 100 files; the message "Change everything" changes 500 of them. */
export async function startLargeRepository(partCount: number): Promise<LargeRepository> {
  const edit = `for part in $(seq 1 ${partCount}); do for file in $(seq 1 ${changedCount / partCount}); do echo changed > "part-$part/$file.txt"; done; done`;
  const scene = await startReviewScene({ "Change everything": run("edit", edit) });
  for (let part = 1; part <= partCount; part += 1) {
    mkdirSync(path.join(scene.repository, `part-${part}`));
    for (let file = 1; file <= filesOfPart; file += 1) {
      writeFileSync(path.join(scene.repository, `part-${part}/${file}.txt`), `${part} ${file}\n`);
    }
  }
  scene.git("add", "-A");
  scene.git("-c", "gc.auto=0", "commit", "-qm", "Many");
  return { ...scene, fileCount: partCount * filesOfPart };
}
