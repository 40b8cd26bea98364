// The preset `reads`: commands that only look, each with the options that keep it so.
import type { Rule } from "./rule.ts";

/** A program, its harmless options, and how many of its operands are text. */
type Reader = readonly [command: string, options: string, more?: Partial<Rule>];

const digits = "-0123456789";
const commits =
  "-psuzwbiEFqRMC --oneline --graph --all --decorate=? --stat=? --shortstat --numstat --name-only --name-status --patch --no-patch " +
  "--no-color --color=? --pretty=? --format= --abbrev-commit --abbrev=? --author= --committer= --grep= --since= --after= " +
  "--until= --before= --max-count= --skip= --first-parent --merges --no-merges --reverse --follow --date= --topo-order " +
  "--date-order --branches=? --tags=? --remotes=? --cached --staged --merge-base --word-diff=? --color-words=? " +
  "--ignore-all-space --ignore-space-change --ignore-blank-lines --diff-filter= --find-renames=? --find-copies=? " +
  "--unified= --summary --compact-summary --dirstat=? --raw --full-index --binary --check --no-ext-diff --no-textconv " +
  `--no-renames --exit-code --quiet --left-right --cherry-pick --source -n: -S: -G: -U: -L: ${digits}`;
const grepping =
  "-EFGPivwxcLlqsbHhnoTZaIrUz -A: -B: -C: -m: --include= --exclude= --exclude-dir= --color=? --colour=? " +
  "--line-number --recursive --ignore-case --count --files-with-matches --files-without-match --only-matching " +
  "--invert-match --word-regexp --line-regexp --extended-regexp --fixed-strings --perl-regexp --context= " +
  `--after-context= --before-context= --max-count= --no-messages --quiet --with-filename --no-filename --null --text ${digits}`;
const ripgrep =
  "-niSsFwxclovUNHIhPu0 -g: -t: -T: -A: -B: -C: -m: -M: -d: -j: --glob= --iglob= --type= --type-not= --hidden " +
  "--no-ignore --no-ignore-vcs --files-with-matches --files-without-match --count --count-matches --line-number " +
  "--no-line-number --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp " +
  "--only-matching --invert-match --multiline --pcre2 --context= --after-context= --before-context= --max-count= " +
  "--max-depth= --max-columns= --max-filesize= --sort= --sortr= --color= --heading --no-heading --json --stats " +
  "--with-filename --no-filename --vimgrep --column --trim --null --unrestricted --no-messages";
const finding =
  "-name: -iname: -path: -ipath: -wholename: -regex: -iregex: -regextype: -type: -size: -mtime: -mmin: -ctime: " +
  "-cmin: -atime: -amin: -newer: -maxdepth: -mindepth: -perm: -user: -group: -links: -printf: -empty -print -print0 " +
  "-prune -not -o -a -or -and -depth -xdev -mount -readable -writable -executable -true -false -ls -quit -daystart -P";
const lines = `-qvz -n: -c: --lines= --bytes= --quiet --silent --verbose ${digits}`;

const readers: readonly Reader[] = [
  [
    "ls",
    "-aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I: -w: --all --almost-all --classify=? --color=? --directory --file-type --full-time --group-directories-first --human-readable --inode --ignore= --recursive --reverse --size --sort= --time= --time-style=",
  ],
  ["cat", "-AbeEnstTuv --show-all --number --number-nonblank --squeeze-blank --show-ends --show-tabs"],
  ["head", lines],
  ["tail", lines],
  ["wc", "-cmlLw --bytes --chars --lines --words --max-line-length"],
  ["nl", "-b: -w: -s: -v: -n:"],
  ["tac", ""],
  ["rev", ""],
  ["od", "-vcxbdo -A: -t: -j: -N:"],
  ["hexdump", "-Cv -n: -s:"],
  ["stat", "-Lft -c: --format= --printf= --terse --file-system --dereference"],
  ["file", "-bikr --brief --mime --mime-type --mime-encoding"],
  [
    "du",
    "-abchkmsS0 -d: --max-depth= --all --bytes --total --human-readable --summarize --exclude= --apparent-size",
  ],
  ["readlink", "-efnmz"],
  ["realpath", "-emsqz --relative-to="],
  ["md5sum", "-bt"],
  ["sha1sum", "-bt"],
  ["sha256sum", "-bt"],
  ["sha512sum", "-bt"],
  ["tree", "-adfipsugDFhnC -L: -I: -P: --dirsfirst --gitignore --noreport"],
  ["grep", grepping, { texts: 1 }],
  ["egrep", grepping, { texts: 1 }],
  ["fgrep", grepping, { texts: 1 }],
  ["rg", ripgrep, { texts: 1 }],
  ["rg --files", ripgrep],
  ["find", finding, { wordOptions: true }],
  [
    "sort",
    "-bdfgiMhnRrVcCmsuz -k: -t: --key= --field-separator= --numeric-sort --general-numeric-sort --human-numeric-sort --version-sort --reverse --unique --stable --ignore-case",
  ],
  ["uniq", "-cdDiuz -f: -s: -w: --count --repeated --unique --ignore-case", { operands: 1 }],
  [
    "cut",
    "-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=",
  ],
  ["tr", "-cdsCt --complement --delete --squeeze-repeats --truncate-set1", { texts: 2 }],
  ["comm", "-123z"],
  ["cmp", "-bls -n:"],
  [
    "diff",
    "-uNrqbBwiEZya -U: -C: --unified=? --brief --recursive --new-file --ignore-all-space --ignore-space-change --ignore-case --color=? --side-by-side --width= --suppress-common-lines",
  ],
  // Line numbers and `p` alone: other commands of sed write files and run programs.
  [
    "sed",
    "-nErsz --quiet --silent --regexp-extended",
    { texts: 1, textLike: "(?:[0-9]+|\\$)(?:,(?:[0-9]+|\\$))?p(?:;(?:[0-9]+|\\$)(?:,(?:[0-9]+|\\$))?p)*" },
  ],
  ["cd", "", { operands: 1 }],
  [
    "git status",
    "-sbzv --short --branch --porcelain=? --long --verbose --untracked-files=? --ignored=? --show-stash --ahead-behind --no-renames",
  ],
  ["git log", commits],
  ["git diff", commits],
  ["git show", commits],
  ["git rev-list", `${commits} --count --objects`],
  ["git shortlog", "-nse --numbered --summary --email --all"],
  ["git blame", "-lcwMCsebt -L: --line-porcelain --porcelain --date= --show-email --show-name --show-number"],
  [
    "git ls-files",
    "-cdmoiszutv --cached --deleted --modified --others --ignored --stage --unmerged --exclude-standard --full-name --error-unmatch -x: --exclude=",
  ],
  ["git ls-tree", "-drtlz --long --name-only --name-status --full-name --full-tree"],
  ["git cat-file", "-pets"],
  [
    "git grep",
    "-niwlLcqhHEFGPovIa -A: -B: -C: -m: --cached --untracked --line-number --ignore-case --name-only --files-with-matches --count --word-regexp --fixed-strings --extended-regexp --perl-regexp --show-function --heading --break --color=? --no-color",
    { texts: 1 },
  ],
  [
    "git rev-parse",
    "-q --abbrev-ref=? --short=? --verify --show-toplevel --git-dir --git-common-dir --is-inside-work-tree --is-bare-repository --show-prefix --show-cdup --symbolic-full-name --all --branches=? --tags=? --remotes=? --quiet",
  ],
  [
    "git describe",
    "--all --tags --contains --always --long --dirty=? --abbrev= --match= --exclude= --first-parent",
  ],
  [
    "git branch",
    "-arv --all --remotes --list --verbose --show-current --no-color --color=? --sort= --format= --merged=? --no-merged=? --contains=? --column=?",
    { operands: 0 },
  ],
  ["git tag", "-ln --list --sort= --format= --column=? --no-color", { operands: 0 }],
  ["git remote", "-v --verbose", { operands: 0 }],
  ["git stash list", commits],
  ["git reflog", commits, { operands: 0 }],
  ["git worktree list", "-vz --verbose --porcelain", { operands: 0 }],
  ["git merge-base", "-a --all --is-ancestor --octopus --fork-point"],
  ["git name-rev", "--name-only --tags --all --always"],
  ["git check-ignore", "-qvnz --quiet --verbose --non-matching --no-index"],
  ["git count-objects", "-vH --verbose --human-readable"],
];

const versions =
  "node npm npx pnpm yarn bun deno python python3 pip pip3 cargo rustc go java javac ruby gcc g++ clang make cmake git tsc bash";

/** Touch no file, whatever their arguments. */
const pure: readonly string[] = [
  "echo **",
  "printf **",
  "true",
  "false",
  ":",
  "test **",
  "[ **",
  "basename **",
  "dirname **",
  "sleep *",
  "seq **",
  "which **",
  "type **",
  "command -v *",
  "pwd",
  "pwd -P",
  "whoami",
  "id",
  "groups",
  "uname **",
  "arch",
  "nproc",
  "date",
  "date +*",
  "date -u",
  "date -u +*",
  "hostname",
  "uptime",
  "ps",
  "ps aux",
  "ps -ef",
  "df",
  "df -h",
  "set **",
  "export **",
  "exit",
  "exit *",
  "wait",
  "jobs",
  "break",
  "continue",
  "shift",
  ...versions.split(" ").map((program) => `${program} --version`),
  "go version",
  "node -v",
  "npm -v",
  "unzip -l *",
];

const inside = { paths: "$ROOT/**", cwd: "$ROOT/**" } as const;

/** The rules of the preset. */
export const readingRules: readonly Rule[] = [
  ...readers.map(([command, options, more]): Rule => ({
    id: command,
    effect: "allow",
    command,
    options,
    ...inside,
    ...more,
  })),
  { id: "pure", effect: "allow", command: pure },
  { id: "input", effect: "allow", on: "read", paths: "$ROOT/**" },
  { id: "reading tools", effect: "allow", tools: ["read", "search", "think"] },
];
