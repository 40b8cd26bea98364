// The changelog: adds the sentences of the changesets when a version is made.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/** @typedef {"major" | "minor" | "patch"} Weight */
/** @typedef {{ weight: Weight, sentence: string }} Change one changeset */

/** @type {readonly [Weight, string][]} in the order in which they are read */
const headings = [
  ["major", "Changed, and may need your attention"],
  ["minor", "Added"],
  ["patch", "Fixed"],
];

/**
 * The changesets in a folder, by the names of their files.
 * @param {string} folder
 * @returns {Change[]}
 */
export function readChanges(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .toSorted()
    .map((name) => readChange(readFileSync(path.join(folder, name), "utf8"), name));
}

/**
 * The changelog with a version in it. A part that was written by hand for this version stays, and gets its date; else
 * one is made from the changes.
 * @param {string} text
 * @param {{ version: string, date: string, changes: readonly Change[] }} release
 */
export function changelogWith(text, { version, date, changes }) {
  const heading = `## ${version} – ${date}`;
  const written = new RegExp(`^## ${version.replaceAll(".", String.raw`\.`)} – unreleased$`, "m");
  if (written.test(text)) return text.replace(written, heading);
  const parts = headings.flatMap(([weight, title]) => {
    const sentences = changes
      .filter((change) => change.weight === weight)
      .map(({ sentence }) => `- ${sentence}`);
    return sentences.length === 0 ? [] : [`### ${title}\n\n${sentences.join("\n")}\n`];
  });
  const first = text.search(/^## /m);
  const place = first === -1 ? text.length : first;
  return `${text.slice(0, place)}${heading}\n\n${parts.join("\n")}\n${text.slice(place)}`;
}

/**
 * @param {string} text
 * @param {string} name
 * @returns {Change}
 */
function readChange(text, name) {
  const [, front = "", sentence = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const found = headings.find(([weight]) => new RegExp(`: ${weight}$`, "m").test(front));
  if (found === undefined || sentence.trim() === "") {
    throw new Error(
      `.changeset/${name} does not say which package changed, the kind of change, and a sentence for the changelog`,
    );
  }
  return { weight: found[0], sentence: sentence.trim().replaceAll(/\s*\n\s*/g, " ") };
}
