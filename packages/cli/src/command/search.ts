// `holdfast search`: finds sessions by what was written in them (C742).
import path from "node:path";
import type { Command } from "commander";
import type { SearchResult } from "@holdfast/sdk";
import { CommandError } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { hostCommand, type Runner, wholeNumber } from "./command.ts";
import { shortSessionName } from "./session-name.ts";

interface SearchOptions {
  readonly agent?: string;
  readonly folder?: string;
  readonly lines?: number;
}

export function addSearch(program: Command, run: Runner): void {
  hostCommand(program, "search", "search messages, replies, commands and titles of all sessions")
    .argument("<words...>", "words that must all occur")
    .option("--agent <id>", "only sessions of this agent")
    .option("--folder <folder>", "only sessions in this folder or below it")
    .option("-n, --lines <count>", "number of results (default: 20)", wholeNumber(1, 100))
    .action(
      run(async ({ console, cwd, host }, words: string[], { agent, folder, lines }: SearchOptions) => {
        const text = words.join(" ").trim();
        if (text === "") throw nothingToSearch();
        const { api } = await host({ mayMakeHome: false });
        const results = await api.search.sessions(text, {
          agent,
          folder: folder === undefined ? undefined : path.resolve(cwd, folder),
          limit: lines,
        });
        if (console.json) return console.printJson(results);
        for (const result of results) await printResult(console, result);
        if (results.length === 0) console.note("No results.");
        return undefined;
      }),
    );
}

function nothingToSearch(): CommandError {
  const remedy = "Give at least one word, such as `holdfast search greeting`.";
  return new CommandError("WRONG_ARGUMENTS", "There is no word to search for.", {
    exitCode: EXIT_CODES.setup,
    remedy,
  });
}

async function printResult(
  console: Console,
  { session_key, at, title, snippet, matches }: SearchResult,
): Promise<void> {
  const { paint } = console;
  let text = "";
  let from = 0;
  for (const { start, end } of matches) {
    text += line(snippet.slice(from, start)) + paint.bold(line(snippet.slice(start, end)));
    from = end;
  }
  text += line(snippet.slice(from));
  await console.print(
    `${paint.bold(shortSessionName(session_key))}  ${paint.dim(at.slice(0, 16))}  ${line(title)}`,
  );
  await console.print(`    ${text}`);
}

/** On one line, without control characters. */
function line(text: string): string {
  return safeText(text.replaceAll(/\s+/g, " "));
}
