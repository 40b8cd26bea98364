// A minute with the terminal engine, on real commands: node examples/terminal-demo.mjs (after npm run build).
import { TerminalEngine } from "@holdfast/terminal";

const engine = new TerminalEngine();
const say = (/** @type {string} */ text) => console.log(text);
const title = (/** @type {string} */ text) => say(`\n\x1b[1m${text}\x1b[0m`);

title("A command runs as text: one real pipe, stdout and stderr in order.");
const hello = await engine.open({ command: "echo to stdout; echo to stderr >&2; exit 3" });
const { exitCode, durationMs } = await hello.exited;
say(
  `${hello.output.tail().output.trimEnd()}\nexit ${exitCode} after ${durationMs.toFixed(0)} ms, its tree held by: ${hello.tree}`,
);

title("A pseudo-terminal loses nothing at exit: seq 1 20000, twenty times.");
let complete = 0;
for (let round = 0; round < 20; round += 1) {
  const count = await engine.open({ command: "seq", args: ["1", "20000"], kind: "tty" });
  await count.exited;
  if (count.output.endOffset === 128_894) complete += 1;
  await count.close();
}
say(`${complete} of 20 complete`);

title("An agent reads what a person would have copied from the screen.");
const bar = await engine.open({
  command: String.raw`for i in 1 2 3; do printf "\r$i/3 done"; done; printf "\n\033[32mgreen\033[0m\n"`,
  kind: "tty",
});
await bar.exited;
say(JSON.stringify(bar.output.tail().output));

title("Ending a command ends its whole tree, also what setsid took away.");
const tree = await engine.open({
  command: "setsid sleep 1000 & nohup sleep 1000 >/dev/null 2>&1 & sleep 1000",
});
const left = await tree.kill();
say(`exit ${JSON.stringify((await tree.exited).signal)}, ${left.length} processes left`);

await engine.close();
say("\nEverything is closed. The library is @holdfast/terminal; the rules are in SPEC.md.");
