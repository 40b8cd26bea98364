// What every document must have: marked blocks, links that lead somewhere, tables that are what the code says.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ERRORS } from "@holdfast/protocol";
import type { ClientErrorCode } from "@holdfast/sdk";
import { describe, expect, it } from "vitest";
import { isForTests, readSourceFiles } from "../repository/source-file.ts";
import { agentPages } from "./agent-facts.ts";
import { generatedPart, parseDocument, readDocuments, root, type Document } from "./document.ts";
import { generatedTables } from "./generated-table.ts";

const documents = readDocuments();
const byPath = new Map(documents.map((document) => [document.path, document]));

/** Things a test cannot have; no other reason is valid. */
const unavoidable =
  /\b(account|another machine|Docker|downloads?|root|systemd|Windows|the tests themselves|editor)\b/;

function unmarkedBlocks({ path: file, blocks }: Document): string[] {
  const faults: string[] = [];
  for (const { language, line, mark } of blocks) {
    const isPlain = language === "" || language === "text";
    if (isPlain) continue;
    const place = `${file}:${line}`;
    if (mark === undefined || mark.kind === "prints") faults.push(`${place} is not marked`);
    else if (mark.kind === "run" && mark.name === "") faults.push(`${place} has no name`);
    else if (mark.kind === "not run" && !unavoidable.test(mark.reason)) {
      faults.push(`${place} could be run: ${mark.reason}`);
    }
  }
  return faults;
}

/** Lines that put a credential into the arguments of a program, where every user of the machine can see it. */
function shownCredentials({ path: file, blocks }: Document): string[] {
  const shown = /\bcurl\b.*(?:-H|--header|-u)\s*["'][^"']*\$/;
  return blocks.flatMap(({ code, line }) =>
    code
      .split("\n")
      .flatMap((each, index) => (shown.test(each) ? [`${file}:${line + index + 1} ${each.trim()}`] : [])),
  );
}

function brokenLinks({ path: file, links, anchors }: Document): string[] {
  return links
    .filter(({ target }) => !/^[a-z]+:/.test(target))
    .filter(({ target }) => {
      const [linked = "", anchor] = target.split("#");
      const linkedPath = path.posix.normalize(path.posix.join(path.posix.dirname(file), linked));
      if (linked !== "" && !existsSync(path.join(root, linkedPath))) return true;
      const linkedAnchors = linked === "" ? anchors : byPath.get(linkedPath)?.anchors;
      return anchor !== undefined && linkedAnchors?.has(anchor) !== true;
    })
    .map(({ target, line }) => `${file}:${line} ${target}`);
}

/** Paths of the repository that stand in the text as code, and are not there. */
function missingPaths({ path: file, text }: Document): string[] {
  const named = [...text.matchAll(/`((?:packages|tests|scripts|docs|examples|bench)\/[\w./-]+)`/g)];
  return named
    .map(([, name = ""]) => name)
    .filter((name) => !existsSync(path.join(root, name)))
    .map((name) => `${file}: ${name}`);
}

/** Codes that are no contract: of commands, and of turns that were cut short, as the sources name them. */
function otherErrorCodes(): string[] {
  const sources = readSourceFiles(["packages/cli/src", "packages/core/src"]).filter(
    ({ path: file }) => !isForTests(file),
  );
  const places = /\b(?:new CommandError\(|super\(|code: )([^,]+),/g;
  const named = sources.flatMap(({ text }) => [...text.matchAll(places)].map(([, place = ""]) => place));
  return named.flatMap((place) =>
    [...place.matchAll(/"([A-Z]+(?:_[A-Z]+)*)"/g)].map(([, code = ""]) => code),
  );
}

const clientErrorCodes: Readonly<Record<ClientErrorCode, true>> = {
  CONNECTION_FAILED: true,
  HOST_NOT_RESPONDING: true,
  STREAM_BROKEN: true,
  INVALID_RESPONSE: true,
};

describe("the documents", () => {
  it("[Y20] each block of a language is run, or says which thing that a test cannot have it needs", () => {
    expect(documents.flatMap(unmarkedBlocks)).toEqual([]);
  });

  it("[Y30] samples run by tsx or node are modules whatever the folder's package.json says", () => {
    const commands = documents.flatMap(({ path: file, text }) =>
      [...text.matchAll(/\b(?:npx tsx|node) [\w-]+\.ts\b/g)].map(([command]) => `${file}: ${command}`),
    );
    expect(commands).toEqual([]);
  });

  it("[A715] no sample shows a credential to other users of the machine", () => {
    expect(documents.flatMap(shownCredentials)).toEqual([]);
    const example = readFileSync(path.join(root, "examples/curl.sh"), "utf8");
    const block = { language: "sh", code: example, line: 0, mark: undefined };
    expect(shownCredentials({ ...(documents[0] as Document), path: "curl.sh", blocks: [block] })).toEqual([]);
    const shown = { ...block, code: 'curl -H "x-api-key: $TOKEN" x' };
    expect(shownCredentials({ ...(documents[0] as Document), blocks: [shown] })).toHaveLength(1);
  });

  it("[Y21] links lead to files and headings that are there", () => {
    expect(documents.flatMap(brokenLinks)).toEqual([]);
  });

  it("[Y21] paths that are named are there", () => {
    expect(documents.flatMap(missingPaths)).toEqual([]);
  });

  it("[Y21] each document is reached from the index", () => {
    const index = byPath.get("docs/README.md");
    const linked = new Set(
      index?.links.map(({ target }) => path.posix.join("docs", target.split("#")[0] ?? "")),
    );
    const outside = documents.map((document) => document.path).filter((file) => file.startsWith("docs/"));
    expect(outside.filter((file) => file !== "docs/README.md" && !linked.has(file))).toEqual([]);
  });

  it.each(generatedTables.map((table) => [table.document, table.name, table] as const))(
    "[Y22] %s: the table of %s is what the code says",
    (file, name, { write }) => {
      const document = byPath.get(file);
      expect(document && generatedPart(document, name)).toBe(write());
    },
  );

  it("[Y27] every code is explained once", () => {
    const { text = "" } = byPath.get("docs/troubleshooting.md") ?? {};
    const [explained = ""] = text.split("## HTTP and JSON-RPC codes");
    const rows = [...explained.matchAll(/^\| `([A-Z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(
      ([, code = ""]) => code,
    );
    const known = new Set([...Object.keys(ERRORS), ...Object.keys(clientErrorCodes), ...otherErrorCodes()]);
    expect(known).toContain("WRONG_ARGUMENTS");
    expect(rows.toSorted()).toEqual([...known].toSorted());
  });

  it.each(agentPages())(
    "[Y28] $document explains installation and sign-in, and lists what was tried",
    ({ agent, document }) => {
      const { text = "" } = byPath.get(document) ?? {};
      for (const heading of ["## Install", "## Sign in", "## Models", "## Quirks", "## What was tried"]) {
        expect(text).toContain(heading);
      }
      expect(text).toContain(agent.installCommand ?? "");
      expect(text).toContain(agent.auth?.login ?? "");
    },
  );

  it("[Y20, Y21] what breaks a rule is found", () => {
    const text = [
      "# A title, with words",
      "[there](#a-title-with-words) [nowhere](#gone) [no file](gone.md) [outside](https://example.org)",
      "`[in code](gone.md)` `packages/gone/there.ts`",
      "```sh",
      "ls",
      "```",
      "<!-- not run: I had no time -->",
      "```sh",
      "ls",
      "```",
      "<!-- not run: needs an account -->",
      "```sh",
      "ls",
      "```",
    ].join("\n");
    const document = parseDocument("docs/some.md", text);
    expect(brokenLinks(document)).toEqual(["docs/some.md:2 #gone", "docs/some.md:2 gone.md"]);
    expect(missingPaths(document)).toEqual(["docs/some.md: packages/gone/there.ts"]);
    expect(unmarkedBlocks(document)).toEqual([
      "docs/some.md:4 is not marked",
      "docs/some.md:8 could be run: I had no time",
    ]);
  });
});
