// The colours of code, asked of a worker that is started with the first question, and remembered.
import type { CodeLanguage } from "./code-languages.ts";
import type { CodeRuns } from "./code-runs.ts";

export interface PlainCode {
  readonly id: number;
  readonly code: string;
  readonly language: CodeLanguage;
}

/** The worker's response; without runs where it could not colour the code. */
export interface ColouredCode {
  readonly id: number;
  readonly runs?: CodeRuns;
}

/** Colours of some code, as far as known. */
type Colouring =
  | { readonly status: "running"; readonly runs: Promise<CodeRuns | undefined> }
  | { readonly status: "known"; readonly runs: CodeRuns };

/** How many blocks are remembered, the last ones used. */
const maxRemembered = 200;

const remembered = new Map<string, Colouring>();
const waiting = new Map<number, (runs: CodeRuns | undefined) => void>();
let worker: Worker | undefined;
let lastId = 0;

/** The colours of code where they are known already. */
export function knownColours(code: string, language: CodeLanguage): CodeRuns | undefined {
  const colouring = remembered.get(keyOf(code, language));
  return colouring?.status === "known" ? colouring.runs : undefined;
}

/** Finds the colours of code; undefined where there are none to be had, and the next one asks again. */
export async function findColours(code: string, language: CodeLanguage): Promise<CodeRuns | undefined> {
  const key = keyOf(code, language);
  const colouring = remembered.get(key) ?? { status: "running", runs: askWorker(code, language) };
  remember(key, colouring);
  const runs = await colouring.runs;
  if (runs === undefined) remembered.delete(key);
  else remember(key, { status: "known", runs });
  return runs;
}

function askWorker(code: string, language: CodeLanguage): Promise<CodeRuns | undefined> {
  worker ??= startWorker();
  const question: PlainCode = { id: (lastId += 1), code, language };
  worker.postMessage(question, []);
  return new Promise((resolve) => {
    waiting.set(question.id, resolve);
  });
}

function startWorker(): Worker {
  const started = new Worker(new URL("./code-worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<ColouredCode>) => settle(data));
  started.addEventListener("error", () => {
    // Its file could not be fetched, as after the host was updated: all that wait stay plain, and the next question starts another.
    worker = undefined;
    for (const id of waiting.keys()) settle({ id });
  });
  return started;
}

function settle({ id, runs }: ColouredCode): void {
  waiting.get(id)?.(runs);
  waiting.delete(id);
}

/** Puts code last, and forgets what was not asked for longest when there is too much. */
function remember(key: string, colouring: Colouring): void {
  remembered.delete(key);
  remembered.set(key, colouring);
  const [oldest] = remembered.keys();
  if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
}

function keyOf(code: string, language: CodeLanguage): string {
  return `${language}\n${code}`;
}
