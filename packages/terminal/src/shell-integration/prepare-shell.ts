// Turns a request for a shell into one whose shell reports where commands begin and end (T88–T90).
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { makePrivateFolder } from "../sandbox/private-folder.ts";

/** A shell to be started. */
export interface ShellRequest {
  /** Its program, with or without a path. */
  readonly shell: string;
  readonly args?: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** An existing folder for a small folder of this shell's own, best in memory. Default: one of the system's that is. */
  readonly folder?: string;
}

/** How to start it. */
export type PreparedShell = IntegratedShell | PlainShell;

/** A shell that will report its commands, in marks that end with the nonce. */
export interface IntegratedShell {
  readonly integrated: true;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly nonce: string;
  /** Its own folder, to be removed by `removeShellFolder` when it has ended. */
  readonly folder: string;
}

/** A shell that is started as it was asked for, and why. */
export interface PlainShell {
  readonly integrated: false;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly reason: string;
}

interface ScriptedRequest extends ShellRequest {
  /** The folder of our scripts. */
  readonly scripts: string;
}

/** Settings for one kind of shell: other arguments, and variables that its script unsets at once. */
interface Integration {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** From the package's own folder, so that it is the same for the sources and for what was compiled from them. */
const scriptFolder = findScripts();

/** Undefined in a program that was bundled without them. */
function findScripts(): string | undefined {
  const address: string | undefined = import.meta.url;
  if (address === undefined) return undefined;
  const folder = fileURLToPath(new URL("../../src/shell-integration/scripts/", address));
  return existsSync(path.join(folder, "holdfast.bash")) ? folder : undefined;
}

const integrations: Readonly<Record<string, (request: ScriptedRequest, isLogin: boolean) => Integration>> = {
  bash: integrateBash,
  fish: integrateFish,
  zsh: integrateZsh,
};

/** Arguments that ask for an interactive shell or a login shell, and for nothing else. */
const plainArgument = /^(?:-[il]+|--login|--interactive)$/;
const loginArgument = /^(?:-i*l[il]*|--login)$/;

/** Prepares a shell; one that cannot be integrated is left as it is. */
export async function prepareShell(request: ShellRequest): Promise<PreparedShell> {
  const { shell, args = [], env } = request;
  const plain = { integrated: false, command: shell, args, env } as const;
  const name = path.basename(shell);
  const integrate = integrations[name];
  if (integrate === undefined) return { ...plain, reason: `there is no integration for ${name}` };
  if (scriptFolder === undefined) {
    return { ...plain, reason: "the scripts of @holdfast/terminal are not here" };
  }
  const other = args.find((argument) => !plainArgument.test(argument));
  if (other !== undefined) return { ...plain, reason: `the argument ${other} asks for more than a shell` };

  const nonce = randomBytes(16).toString("hex");
  let folder: string;
  try {
    folder = await makeFolder(request);
    await writeFile(path.join(folder, "nonce"), `${nonce}\n`, { mode: 0o600 });
  } catch (error) {
    return { ...plain, reason: `its folder cannot be made: ${String(error)}` };
  }
  const isLogin = args.some((argument) => loginArgument.test(argument));
  const integration = integrate({ ...request, scripts: scriptFolder }, isLogin);
  return {
    integrated: true,
    command: shell,
    args: integration.args,
    env: { ...env, ...integration.variables, HOLDFAST_SHELL_FOLDER: folder },
    nonce,
    folder,
  };
}

/** Removes the folder of a shell that has ended. */
export async function removeShellFolder(
  shell: PreparedShell | { readonly integrated: true; readonly folder: string },
): Promise<void> {
  if (shell.integrated) await rm(shell.folder, { recursive: true, force: true });
}

/** bash writes there before each command: on a disk that would cost more than all the rest. */
async function makeFolder({ folder, env }: ShellRequest): Promise<string> {
  const inMemory = [env["XDG_RUNTIME_DIR"], "/dev/shm"].filter((each) => each !== undefined && each !== "");
  const parents = folder === undefined ? [...inMemory, tmpdir()] : [folder];
  let lastError: unknown;
  for (const parent of parents) {
    try {
      // The nonce in it is nobody's but the shell's: sandboxes do not see the private folder.
      const place = folder ?? makePrivateFolder(parent ?? "");
      return await mkdtemp(path.join(place, "holdfast-shell-"));
    } catch (error) {
      lastError = error;
    }
  }
  throw lastError;
}

/** bash reads one file of ours in place of the user's. A login shell reads none but $ENV, and that in POSIX mode. */
function integrateBash({ scripts }: ScriptedRequest, isLogin: boolean): Integration {
  const script = path.join(scripts, "holdfast.bash");
  return isLogin
    ? { args: ["--posix", "-il"], variables: { ENV: script } }
    : { args: ["--init-file", script, "-i"], variables: {} };
}

/** zsh looks for the user's files in ZDOTDIR; ours puts it back before the first of them is read. */
function integrateZsh({ env, scripts }: ScriptedRequest, isLogin: boolean): Integration {
  const users = env["ZDOTDIR"];
  return {
    args: [isLogin ? "-il" : "-i"],
    variables: {
      ZDOTDIR: path.join(scripts, "zsh"),
      ...(users !== undefined && { HOLDFAST_USER_ZDOTDIR: users }),
    },
  };
}

/** fish reads ours after the user's. */
function integrateFish({ scripts }: ScriptedRequest, isLogin: boolean): Integration {
  const script = path.join(scripts, "holdfast.fish").replaceAll(/[\\']/g, String.raw`\$&`);
  return { args: [isLogin ? "-il" : "-i", "--init-command", `source '${script}'`], variables: {} };
}
