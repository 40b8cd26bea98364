// `holdfast sign-ins`: the browsers that are signed in to the page; listed and signed out (C623).
import type { Holdfast, SignIn } from "@holdfast/sdk";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { tableLines } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { ambiguousName } from "../short-name.ts";
import { ageWord } from "../time.ts";
import { hostCommand, type Runner } from "./command.ts";

interface RevokeOptions {
  readonly all?: boolean;
}

export function addSignIns(program: Command, run: Runner): void {
  const signIns = program
    .command("sign-ins")
    .description("list browsers that are signed in, and sign them out");
  hostCommand(signIns, "ls", "list signed-in browsers, most recently used first").action(
    run(async ({ console, host }) => {
      const { api } = await host({ mayMakeHome: false });
      const listed = await api.signIns.list();
      if (console.json) return console.printJson(listed);
      const columns = ["SIGN-IN", "DEVICE", "ADDRESS", "SIGNED IN", "LAST USED"].map((heading) => ({
        heading,
      }));
      const nowMs = Date.now();
      const rows = listed.map((signIn) => rowOf(signIn, nowMs));
      for (const line of tableLines(columns, rows, console.paint)) await console.print(line);
      return undefined;
    }),
  );
  hostCommand(signIns, "revoke", "sign a browser out immediately")
    .argument("[sign-in]", "id of the sign-in or a prefix of it")
    .option("--all", "sign out every browser")
    .action(
      run(async ({ console, host }, word: string | undefined, { all = false }: RevokeOptions) => {
        const { api } = await host();
        const meant = all ? await api.signIns.list() : [await findSignIn(api, word ?? "")];
        const revoked: SignIn[] = [];
        for (const { id } of meant) revoked.push(await api.signIns.revoke(id));
        if (console.json) return console.printJson(revoked);
        const names = revoked.map(({ id, device }) => `${device} (${id})`).join(", ");
        return console.note(names === "" ? "No browser is signed in." : `Signed out: ${safeText(names)}.`);
      }),
    );
}

async function findSignIn(api: Holdfast, word: string): Promise<SignIn> {
  const found = (await api.signIns.list()).filter(({ id }) => word !== "" && id.startsWith(word));
  const [first, second] = found;
  if (first === undefined) {
    throw new CommandError("SIGN_IN_NOT_FOUND", `There is no sign-in "${safeText(word)}".`, {
      exitCode: EXIT_CODES.missing,
      remedy: "`holdfast sign-ins ls` lists them; `holdfast sign-ins revoke --all` ends them all.",
    });
  }
  if (second === undefined) return first;
  const several = { code: "SIGN_IN_AMBIGUOUS", noun: "sign-ins", remedy: "Name one by its whole id." };
  throw ambiguousName(
    several,
    word,
    found.map(({ id }) => id),
  );
}

function rowOf({ id, device, address, createdAt, lastUsedAt }: SignIn, nowMs: number): string[] {
  const ages = [createdAt, lastUsedAt].map((at) => `${ageWord(at, nowMs)} ago`);
  return [id, device, address, ...ages].map(safeText);
}
