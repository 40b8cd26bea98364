// Worker that splits code into coloured pieces: on the page's thread, a grammar's first use would delay typing noticeably.
import { createCssVariablesTheme, createHighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import type { ColouredCode, PlainCode } from "./code-colouring.ts";
import { grammarOf } from "./code-languages.ts";
import { joinRuns } from "./code-runs.ts";

// The colours themselves stand in the style of Markdown, once for each theme of the page.
const theme = createCssVariablesTheme({ name: "page", variablePrefix: "--code-" });
const plainColour = "var(--code-foreground)";
/** After so many milliseconds, the rest of a line has the colour of the text before it; a grammar's first line takes long. */
const tokenizeTimeLimit = 10_000;
const highlighter = createHighlighterCore({
  themes: [theme],
  langs: [],
  // A grammar may hold an expression that this engine cannot do; the rest of it still colours.
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

addEventListener("message", ({ data }: MessageEvent<PlainCode>) => {
  void colour(data).then((coloured) => {
    const { runs } = coloured;
    postMessage(coloured, { transfer: runs === undefined ? [] : [runs.ends.buffer, runs.colours.buffer] });
  });
});

async function colour({ id, code, language }: PlainCode): Promise<ColouredCode> {
  try {
    const loaded = await highlighter;
    await loaded.loadLanguage(grammarOf(language));
    const tokens = loaded.codeToTokensBase(code, { lang: language, theme: "page", tokenizeTimeLimit });
    return { id, runs: joinRuns(code, tokens, plainColour) };
  } catch {
    // A grammar that cannot be fetched, as after the host was updated: code is read without colours as well.
    return { id };
  }
}
