// Opening by checked paths: links, hard links, pipes, and folders that another process exchanges in mid-write.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { byComparison, byProcfs, createAt, openAt } from "./checked-open.ts";
import { liesIn, readTextFile, resolveFile, writeTextFile } from "./files.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "checked-open-")));
const root = path.join(folder, "root");
const outside = path.join(folder, "outside");
const at = (...names: string[]): string => path.join(root, ...names);
const tries = process.env["HOLDFAST_LONG"] === undefined ? 500 : 20_000;

beforeEach(() => {
  for (const each of [root, outside]) mkdirSync(each);
});
afterEach(() => {
  for (const each of [root, outside]) rmSync(each, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Exchanges the folder `sub` of the root for a link to the folder outside and back, until it is killed. */
const swapping = `
  const { renameSync, symlinkSync } = require("node:fs");
  const [root, outside] = process.argv.slice(1);
  symlinkSync(outside, root + "/link");
  let junk = 0;
  // The folder may be made again in the moment in which it is away.
  function move(from, to) {
    for (;;) {
      try {
        return renameSync(root + "/" + from, root + "/" + to);
      } catch {
        renameSync(root + "/" + to, root + "/junk-" + junk++);
      }
    }
  }
  process.stdout.write("ready");
  for (;;) {
    move("sub", "kept");
    move("link", "sub");
    move("sub", "link");
    move("kept", "sub");
  }`;

async function swapWhile(work: () => Promise<void>): Promise<void> {
  mkdirSync(at("sub"));
  const swapper: ChildProcess = spawn(process.execPath, ["-e", swapping, root, outside], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(swapper.stdout ?? swapper, "data");
    await work();
    expect([swapper.exitCode, swapper.signalCode]).toEqual([null, null]);
  } finally {
    const exited = swapper.exitCode === null ? once(swapper, "exit") : undefined;
    swapper.kill("SIGKILL");
    await exited;
  }
}

/** As a session does it: resolve, check, and then read or write where the check was made. */
async function countOutcomes(act: (index: number) => Promise<boolean>): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = { done: 0, outside: 0, failed: 0 };
  for (let index = 0; index < tries; index += 1) {
    const outcome = await act(index).then(
      (isDone) => (isDone ? "done" : "outside"),
      () => "failed",
    );
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

describe("[N675] while another process exchanges a folder for a link to one outside", () => {
  test("[N675] nothing is written outside, neither to new files, nor in new folders, nor over old ones", async () => {
    writeFileSync(path.join(outside, "old"), "untouched");
    await swapWhile(async () => {
      const outcomes = await countOutcomes(async (index) => {
        const name = [`new-${index}`, `made-${index}/new`, "old"][index % 3] ?? "";
        const file = await resolveFile(at("sub", name));
        if (!liesIn(file.realPath, [root])) return false;
        await writeTextFile(file, "x");
        return true;
      });
      expect(outcomes["done"]).toBeGreaterThan(0);
      expect((outcomes["outside"] ?? 0) + (outcomes["failed"] ?? 0)).toBeGreaterThan(0);
    });
    expect(readdirSync(outside)).toEqual(["old"]);
    expect(readFileSync(path.join(outside, "old"), "utf8")).toBe("untouched");
  });

  test("[N675] nothing is read outside", async () => {
    writeFileSync(path.join(outside, "file"), "secret");
    const read: string[] = [];
    await swapWhile(async () => {
      await countOutcomes(async () => {
        const file = await resolveFile(at("sub", "file"));
        if (!liesIn(file.realPath, [root])) return false;
        read.push(await readTextFile(file));
        return true;
      });
    });
    expect(read).toEqual([]);
  });

  test("[N675] without procfs, too, nothing is written into a file outside; an empty one may be left", async () => {
    writeFileSync(path.join(outside, "old"), "untouched");
    await swapWhile(async () => {
      await countOutcomes(async (index) => {
        if (index % 2 === 0) {
          await createAt(at("sub", `new-${index}`), (file) => file.writeFile("x"), byComparison);
        } else {
          const file = await openAt(at("sub", "old"), constants.O_RDWR, byComparison);
          try {
            await file.writeFile("x");
          } finally {
            await file.close();
          }
        }
        return true;
      });
    });
    const sizes = readdirSync(outside).map((name) => statSync(path.join(outside, name)).size);
    expect(sizes.filter((size) => size > 0)).toEqual(["untouched".length]);
    expect(readFileSync(path.join(outside, "old"), "utf8")).toBe("untouched");
  });
});

describe.each([
  ["with procfs", byProcfs],
  ["without procfs", byComparison],
] as const)("[N675] %s", (_name, paths) => {
  const isUsable = paths === byComparison || existsSync("/proc/self/fd");

  test.runIf(isUsable)(
    "[N675] a folder or a file that is a link is not opened, nor created through",
    async () => {
      symlinkSync(outside, at("sub"));
      symlinkSync(path.join(outside, "file"), at("file"));
      writeFileSync(path.join(outside, "file"), "kept");
      for (const target of [at("sub", "file"), at("file")]) {
        await expect(openAt(target, constants.O_RDONLY, paths)).rejects.toThrow("leads elsewhere");
        await expect(createAt(target, (file) => file.writeFile("x"), paths)).rejects.toThrow(
          /EEXIST|leads elsewhere/,
        );
      }
      await expect(createAt(at("sub", "a", "b"), (file) => file.writeFile("x"), paths)).rejects.toThrow(
        "leads elsewhere",
      );
      expect(readdirSync(outside)).toEqual(["file"]);
      expect(readFileSync(path.join(outside, "file"), "utf8")).toBe("kept");
    },
  );

  test.runIf(isUsable)(
    "[N676] folders are made one by one, and a file that cannot be filled is removed",
    async () => {
      await createAt(at("a", "b", "file"), (file) => file.writeFile("x"), paths);
      expect(readFileSync(at("a", "b", "file"), "utf8")).toBe("x");
      await expect(createAt(at("a", "b", "file"), () => Promise.resolve(), paths)).rejects.toMatchObject({
        code: "EEXIST",
      });
      const failing = createAt(at("a", "broken"), () => Promise.reject(new Error("no")), paths);
      await expect(failing).rejects.toThrow("no");
      if (paths.holdsFolder) expect(existsSync(at("a", "broken"))).toBe(false);
      else expect(statSync(at("a", "broken")).size).toBe(0);
    },
  );
});

test("[N675] a file whose folder was exchanged between the question and the write is not written", async () => {
  mkdirSync(at("sub"));
  const file = await resolveFile(at("sub", "file"));
  renameSync(at("sub"), at("moved"));
  symlinkSync(outside, at("sub"));
  await expect(writeTextFile(file, "x")).rejects.toMatchObject({
    code: -32600,
    data: { code: "path_changed" },
  });
  await expect(readTextFile(file)).rejects.toMatchObject({ code: -32002 });
  expect(readdirSync(outside)).toEqual([]);
});

test.runIf(existsSync("/proc/self/root"))("[N675] a way through /proc leads where it leads", async () => {
  writeFileSync(path.join(outside, "file"), "secret");
  const descriptor = await openAt(outside, constants.O_RDONLY);
  try {
    const ways = [`/proc/self/root${outside}/file`, `/proc/self/fd/${descriptor.fd}/file`];
    for (const way of ways) {
      expect(await resolveFile(way)).toMatchObject({ realPath: path.join(outside, "file") });
    }
  } finally {
    await descriptor.close();
  }
});

test("[N678] a file with further names says so, and one that gets them after the check is not written", async () => {
  writeFileSync(path.join(outside, "file"), "untouched");
  linkSync(path.join(outside, "file"), at("twin"));
  expect(await resolveFile(at("twin"))).toMatchObject({ hasOtherNames: true });
  writeFileSync(at("plain"), "mine");
  const plain = await resolveFile(at("plain"));
  expect(plain).toMatchObject({ hasOtherNames: false });
  rmSync(at("plain"));
  linkSync(path.join(outside, "file"), at("plain"));
  await expect(writeTextFile(plain, "x")).rejects.toMatchObject({ data: { code: "path_changed" } });
  expect(readFileSync(path.join(outside, "file"), "utf8")).toBe("untouched");
});

test("[N676] an existing file keeps its inode and its mode, also when it gets shorter", async () => {
  writeFileSync(at("script"), "long content\n".repeat(100));
  chmodSync(at("script"), 0o750);
  const { ino } = statSync(at("script"));
  await writeTextFile(await resolveFile(at("script")), "short");
  expect(readFileSync(at("script"), "utf8")).toBe("short");
  expect(statSync(at("script"))).toMatchObject({ ino, mode: 0o100750 });
});

test("[N676] a pipe neither blocks nor is opened, also when it appears after the check", async () => {
  const file = await resolveFile(at("pipe"));
  execFileSync("mkfifo", [at("pipe")]);
  await expect(writeTextFile(file, "x")).rejects.toMatchObject({ code: -32602 });
  await expect(readTextFile(file)).rejects.toMatchObject({ code: -32602 });
});

const canMount = process.getuid?.() === 0 && canMountTmpfs();

function canMountTmpfs(): boolean {
  const point = mkdtempSync(path.join(folder, "probe-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", point]).status === 0;
  if (isMounted) execFileSync("umount", [point]);
  return isMounted;
}

test.runIf(canMount)(
  "[N677] on a full disk a file keeps its previous content, and a new one is not made",
  async () => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", root]);
    try {
      const previous = "previous\n".repeat(1000);
      writeFileSync(at("file"), previous);
      const tooMuch = "x".repeat(1024 * 1024);
      await expect(writeTextFile(await resolveFile(at("file")), tooMuch)).rejects.toMatchObject({
        message: expect.stringMatching(/no space left.*previous content/) as string,
        data: { path: at("file"), code: "ENOSPC" },
      });
      expect(readFileSync(at("file"), "utf8")).toBe(previous);
      await expect(writeTextFile(await resolveFile(at("new")), tooMuch)).rejects.toMatchObject({
        message: expect.stringMatching(/no space left.*was not made/) as string,
      });
      expect(readdirSync(root)).toEqual(["file"]);
    } finally {
      execFileSync("umount", [root]);
    }
  },
);
