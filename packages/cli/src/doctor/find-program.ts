// Looks for programs, and for the package manager that would install them.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where package managers lie even if PATH is short. */
const systemFolders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

const packageManagers: readonly {
  readonly program: string;
  readonly words: string;
  readonly asRoot: boolean;
}[] = [
  { program: "apt-get", words: "apt-get install", asRoot: true },
  { program: "dnf", words: "dnf install", asRoot: true },
  { program: "zypper", words: "zypper install", asRoot: true },
  { program: "pacman", words: "pacman -S", asRoot: true },
  { program: "apk", words: "apk add", asRoot: true },
  { program: "brew", words: "brew install", asRoot: false },
];

/** The file of a program on the PATH; undefined when there is none that can be executed. */
export function findProgram(name: string, { PATH = "" }: Environment): string | undefined {
  return findIn(name, PATH.split(path.delimiter));
}

/** The command that installs a package on this machine, with sudo where this user needs it; undefined where none is known. */
export function installCommand(packageName: string): string | undefined {
  const manager = packageManagers.find(({ program }) => findIn(program, systemFolders) !== undefined);
  if (manager === undefined) return undefined;
  const command = `${manager.words} ${packageName}`;
  return manager.asRoot ? asRoot(command) : command;
}

/** A command that only root may run, as this user would type it. */
export function asRoot(command: string): string {
  return process.getuid?.() === 0 ? command : `sudo ${command}`;
}

function findIn(name: string, folders: readonly string[]): string | undefined {
  const places = path.isAbsolute(name) ? [name] : folders.map((folder) => path.join(folder, name));
  return places.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    // A folder can be entered, which looks the same as executable.
    return statSync(file).isFile();
  } catch {
    // Not there, or not for us.
    return false;
  }
}
