// Every snippet of the API's reference compiles against the client and runs against a real host.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { makeRealtimexKey } from "../host/realtimex-key.ts";
import { takeSnippets, type Snippet } from "./reference-snippets.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** The reference document, where the repository is checked out beside it. */
function readReference(): string | undefined {
  const folder = path.join(root, "..", "shared", "seeds");
  try {
    const name = readdirSync(folder).find((each) => each.startsWith("002_"));
    return name === undefined ? undefined : readFileSync(path.join(folder, name), "utf8");
  } catch {
    // It is not part of the repository.
    return undefined;
  }
}

/** A folder in which the workspace's packages are found. */
function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-snippets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"), "dir");
  writeFileSync(path.join(folder, "package.json"), `{"type":"module"}`);
  return folder;
}

/** A module that runs one snippet in its place: with what the snippets before it have left, or the text around it names. */
function wrap({ code }: Snippet): string {
  const imports = code.split("\n").filter((line) => line.startsWith("import "));
  const body = code.split("\n").filter((line) => !line.startsWith("import "));
  return [
    `import { RealtimeXSDK } from "@holdfast/sdk";`,
    ...imports,
    `interface World { sdk: RealtimeXSDK; session: { session_key: string }; key: string; message: string;`,
    `  renderThought(text: string): void; renderOutput(text: string): void }`,
    `export async function run({ sdk, session, key, message, renderThought, renderOutput }: World): Promise<void> {`,
    `void [RealtimeXSDK, sdk, session, key, message, renderThought, renderOutput];`,
    `{`,
    ...body,
    `}`,
    `}`,
  ].join("\n");
}

/** A module in which the document's own types stand beside the client's, which must fit them. */
function compareTypes({ code }: Snippet): string {
  const names = ["AcpSession", "AcpStreamEvent"];
  return [
    `import type * as sdk from "@holdfast/sdk";`,
    code,
    ...names.map((name) => `export const give${name} = (value: sdk.${name}): ${name} => value;`),
    ...["AcpSessionOptions", "AcpAttachment"].map(
      (name) => `export const take${name} = (value: ${name}): sdk.${name} => value;`,
    ),
  ].join("\n");
}

/** A program that runs them one after the other, the one that closes the session last. */
function mainProgram(names: readonly string[], project: string, apiKey: string): string {
  return `
import { RealtimeXSDK } from "@holdfast/sdk";
const sdk = new RealtimeXSDK({ realtimex: { apiKey: ${JSON.stringify(apiKey)} } });
const wish = { agent_id: "claude", cwd: ${JSON.stringify(project)} };
const session = await sdk.acpAgent.createSession({ ...wish, approvalPolicy: "approve-all" });
const asking = await sdk.acpAgent.createSession({ ...wish, approvalPolicy: "approve-reads" });
const world = {
  sdk, session, key: asking.session_key, message: "Hello",
  renderThought: (text: string) => console.log("thought: " + text),
  renderOutput: (text: string) => console.log("output: " + text),
};
for (const name of ${JSON.stringify(names)}) {
  const { run } = await import(\`./\${name}.js\`);
  console.log("\\n== " + name);
  await run(world);
}
`;
}

function fitToHost(snippet: Snippet, { project }: RealHost, key: string): Snippet {
  const code = snippet.code
    .replace("'your-api-key'", JSON.stringify(key))
    .replaceAll(/'\/(?:path\/to\/(?:your\/)?|my\/)project'/g, JSON.stringify(project));
  return { ...snippet, code };
}

/** Compiles them against the compiled client, as it is published; gives what the compiler says. */
async function compile(folder: string, files: readonly string[]): Promise<string> {
  const options = {
    strict: true,
    // The reference reads \`err.message\` in a catch, as JavaScript does.
    useUnknownInCatchVariables: false,
    target: "es2023",
    module: "nodenext",
    types: ["node"],
    skipLibCheck: true,
    outDir: "compiled",
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
  const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
  return run(process.execPath, [compiler, "-p", folder]).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout: string }).stdout,
  );
}

describe("[X20] the snippets of the reference", () => {
  it("[X20, X300] compile, and run against a real host", { timeout: 90_000 }, async (context) => {
    const reference = readReference();
    context.skip(reference === undefined, "the reference document is not beside this repository");
    const host = await startRealHost();
    onTestFinished(() => host.close());
    const key = await makeRealtimexKey(host);
    const folder = makeFolder();
    const snippets = takeSnippets(reference ?? "").map((snippet) => fitToHost(snippet, host, key));
    const runnable = snippets.filter(({ name }) => name !== "types");
    for (const snippet of snippets) {
      const text = snippet.name === "types" ? compareTypes(snippet) : wrap(snippet);
      writeFileSync(path.join(folder, `${snippet.name}.ts`), text);
    }
    writeFileSync(path.join(folder, "screenshot.png"), "pixels");
    const names = runnable
      .map(({ name }) => name)
      .toSorted((one, other) => Number(one === "close") - Number(other === "close"));
    writeFileSync(path.join(folder, "main.ts"), mainProgram(names, host.project, key));
    expect(await compile(folder, ["main.ts", ...snippets.map(({ name }) => `${name}.ts`)])).toBe("");
    const { stdout, stderr } = await run(process.execPath, ["compiled/main.js"], {
      cwd: folder,
      env: { ...process.env, HOLDFAST_HOME: host.home },
    });
    const parts = stdout.split("\n== ").slice(1);
    const said = Object.fromEntries(
      parts.map((part): [string, string] => [
        part.slice(0, part.indexOf("\n")),
        part.slice(part.indexOf("\n") + 1),
      ]),
    );
    expect(Object.keys(said)).toEqual(names);
    expect(said).toMatchObject({
      agents: expect.stringContaining("claude-cli (Claude Code)"),
      create: expect.stringMatching(/^agent:claude:acp:/),
      stream: expect.stringContaining("Explain this codebase"),
      chat: expect.stringMatching(/^4\n/),
      thoughts: expect.stringMatching(/thought: Let me think.[^]*output: Turn/),
      // Options are objects, and print as people read them.
      permission: expect.stringMatching(
        /Agent wants to edit: .+\nOptions: allow_once \(Allow once\),reject_once \(Deny\)\nIt is created\./,
      ),
      providers: expect.stringMatching(/^true\n\[[^\]]*'realtimexai'/),
      forwarding: expect.stringContaining("Explain this codebase"),
      attachments: expect.stringContaining("I see image/png of 6 bytes."),
      sessions: expect.stringMatching(/agent:claude:acp:.* — claude-cli \[ready\]/),
    });
    expect(stderr).toContain("No ACP provider found for agent 'nonexistent'.");
  });

  it("[X20] are all found, and code outside of them is noticed", (context) => {
    const reference = readReference();
    context.skip(reference === undefined, "the reference document is not beside this repository");
    expect(takeSnippets(reference ?? "")).toHaveLength(17);
    expect(() => takeSnippets(`${reference}\nawait sdk.acpAgent.newThing();`)).toThrow("newThing");
    expect(() => takeSnippets("")).toThrow("client");
  });
});
