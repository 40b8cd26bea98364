// Files that appear when they are complete, and names that lead to something other than a file.
import { execFileSync, spawn } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { temporaryFolder } from "./testing/temporary-home.ts";
import { writeWhole } from "./whole-file.ts";

it("[C842] a file is replaced when its content is complete, and stays when that fails", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "out");
  writeFileSync(file, "old");
  const broken = writeWhole(file, async (write) => {
    await write("half");
    throw new Error("lost");
  });
  await expect(broken).rejects.toThrow("lost");
  expect(readFileSync(file, "utf8")).toBe("old");
  await writeWhole(file, async (write) => {
    await write("new");
    expect(readFileSync(file, "utf8")).toBe("old");
  });
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readdirSync(folder)).toEqual(["out"]);
});

it("[C842] a symbolic link stays, and its target is replaced or created", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "real"));
  symlinkSync("real", path.join(folder, "alias"));
  symlinkSync("alias/out", path.join(folder, "link"));
  for (const content of ["first", "second"]) {
    await writeWhole(path.join(folder, "link"), (write) => write(content));
    expect(readFileSync(path.join(folder, "real/out"), "utf8")).toBe(content);
  }
  expect(readlinkSync(path.join(folder, "link"))).toBe("alias/out");
  expect(readdirSync(path.join(folder, "real"))).toEqual(["out"]);
  symlinkSync("loop", path.join(folder, "loop"));
  await expect(writeWhole(path.join(folder, "loop"), (write) => write("x"))).rejects.toThrow(/ELOOP/);
});

it.skipIf(process.platform === "win32")("[C842] a pipe and a device are written to", async () => {
  const folder = temporaryFolder();
  const pipe = path.join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "inherit"] });
  const [read] = await Promise.all([text(reader.stdout), writeWhole(pipe, (write) => write("through"))]);
  expect(read).toBe("through");
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  // By a link, so that a failure cannot replace the machine's own device.
  symlinkSync("/dev/null", path.join(folder, "null"));
  await writeWhole(path.join(folder, "null"), (write) => write("gone"));
  expect(lstatSync(path.join(folder, "null")).isSymbolicLink()).toBe(true);
  expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
});

it.skipIf(process.platform !== "linux")("[C842] a link to an open file is written to", async () => {
  const file = path.join(temporaryFolder(), "out");
  writeFileSync(file, "old");
  const handle = await open(file, "r+");
  await writeWhole(`/dev/fd/${handle.fd}`, (write) => write("new"));
  expect(await handle.readFile("utf8")).toBe("new");
  await handle.close();
});
