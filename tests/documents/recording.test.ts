// The recording is made again, in a real terminal with the real program, and compared with the one in the README.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "./document.ts";
import { DocumentHost } from "./document-host.ts";
import { record } from "./recording.ts";

/** Last screen of a recording, without what differs each time: ids, folders, times, and how this user's commands are isolated. */
function settled(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f-]{27})?\b/g, "ID")
    .replaceAll(/\S*holdfast-document-\w+/g, "FOLDER")
    .replaceAll(/\b\d+ ?m?s\b/g, "TIME")
    .replaceAll(/\(bubblewrap-\w+\)/g, "(BACKEND)")
    .replaceAll(/ +/g, " ");
}

/** What stands in the rows of the last picture of an SVG. */
function lastPictureOf(svg: string): string {
  const rows = new Map(
    [...svg.matchAll(/<g id="(r\d+)">(.*?)<\/g>/g)].map(([, id = "", row = ""]) => [id, row]),
  );
  const uses = [...svg.matchAll(/<use href="#(r\d+)" y="(\d+)"\/>/g)].map(([, id = "", y]) => ({
    id,
    y: Number(y),
  }));
  const lastTop = Math.max(...[...svg.matchAll(/translateY\((-?\d+)px\)/g)].map(([, y]) => -Number(y)));
  return uses
    .filter(({ y }) => y >= lastTop)
    .map(({ id }) =>
      [...(rows.get(id) ?? "").matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text).join(" "),
    )
    .join("\n")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}

describe("[Y29] the recording", () => {
  it("[Y29] shows what the program does today", { timeout: 120_000 }, async () => {
    const host = await DocumentHost.start();
    onTestFinished(() => host.close());
    const { cast, picture, frames } = await record(host);

    const [header = "", ...events] = cast.trimEnd().split("\n");
    expect(JSON.parse(header)).toMatchObject({ version: 2, width: 100, height: 24 });
    const times = events.map((event) => (JSON.parse(event) as [number, "o", string])[0]);
    expect(times).toEqual(times.toSorted((one, other) => one - other));

    const shown = settled(frames.at(-1)?.text ?? "");
    expect(shown).toContain("5 notes.md");
    expect(shown).toContain("running");
    expect(words(lastPictureOf(picture))).toEqual(words(frames.at(-1)?.text ?? ""));
    const kept = readFileSync(path.join(root, "docs/images/recording.svg"), "utf8");
    expect(words(settled(lastPictureOf(kept)))).toEqual(words(shown));
  });
});

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
