// Records the command line as a person uses it: npm run recording
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { root } from "./document.ts";
import build from "../setup/build.ts";
import { DocumentHost } from "./document-host.ts";
import { Recorder } from "./recorder.ts";
import { movingPicture, type Frame } from "./screen-picture.ts";

const size = { columns: 100, rows: 24 };
/** How long the last picture stays before it begins again. */
const restMs = 5000;

/** A recording, as an asciinema file and as a picture. */
export interface Recording {
  readonly cast: string;
  readonly picture: string;
  readonly frames: readonly Frame[];
}

/** Sits down at a terminal with a host, and shows what there is to see. */
export async function record(host: DocumentHost): Promise<Recording> {
  const project = path.join(host.folder, "garden");
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, "notes.md"), "# Notes\n\nWater the roses.\n");
  const environment = { ...host.environment, PS1: String.raw`\[\e[2m\]$\[\e[0m\] `, PROMPT_COMMAND: "" };
  const recorder = new Recorder({ size, cwd: project, environment });
  try {
    await recorder.start();
    await recorder.type("holdfast run shell 'wc -w notes.md'");
    await recorder.untilShown(/Allow once \(y\)[^]*^\?/m);
    await recorder.press("y");
    await recorder.untilPrompt();
    await recorder.type("holdfast exec --detach --name build -- sh -c 'echo building; sleep 60'");
    await recorder.untilPrompt();
    await recorder.type("holdfast terminals");
    await recorder.untilPrompt();
    await recorder.type("holdfast logs build");
    await recorder.untilPrompt();
    const { frames, durationMs } = recorder;
    const picture = movingPicture(frames, size, durationMs + restMs);
    return { cast: recorder.cast("Holdfast"), picture, frames };
  } finally {
    await recorder.close();
  }
}

async function main(): Promise<void> {
  await build();
  const host = await DocumentHost.start();
  try {
    const { cast, picture } = await record(host);
    const folder = path.join(root, "docs", "images");
    writeFileSync(path.join(folder, "recording.cast"), cast);
    writeFileSync(path.join(folder, "recording.svg"), picture);
    console.log(`recording.cast and recording.svg (${Math.round(picture.length / 1024)} KiB)`);
  } finally {
    await host.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
