// The completion script for fish.
import { argumentRows, type CommandPlace, optionRows, valueCode } from "./command-tree.ts";

/** The script for `holdfast completion fish | source`. */
export function fishScript(places: readonly CommandPlace[]): string {
  return `# Completes the command line of holdfast in fish.
function __holdfast_takes_value
    contains -- "$argv[1]" ${optionRows(places)
      .map(({ key }) => fishQuote(key))
      .join(" ")}
end

function __holdfast_is_place
    contains -- "$argv[1]" ${places.map(({ path }) => fishQuote(path)).join(" ")}
end

# Succeeds where the cursor is behind the command $argv[1], and, with $argv[2], at that argument of it.
function __holdfast_at
    set -l words (commandline -opc)
    set -l place ''
    set -l position 0
    set -l is_value 0
    for word in $words[2..-1]
        set -l next (string trim -- "$place $word")
        if test $is_value = 1
            set is_value 0
        else if string match -q -- '-*' $word
            __holdfast_takes_value "$place $word"; and set is_value 1
        else if __holdfast_is_place $next
            set place $next
            set position 0
        else
            set position (math $position + 1)
        end
    end
    test "$place" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test "$argv[2]" = +; or test "$argv[2]" = $position
end

function __holdfast_names
    set -l words (commandline -opc)
    $words[1] __complete $argv[1] -- $words[2..-1] 2>/dev/null
end

complete -c holdfast -f
${places.flatMap(placeLines).join("\n")}
${argumentRows(places).map(argumentLine).join("\n")}
`;
}

function placeLines({ path, commands, options }: CommandPlace): string[] {
  const here = `complete -c holdfast -n ${fishQuote(`__holdfast_at ${fishQuote(path)}`)}`;
  return [
    ...commands.map(
      ({ name, description }) =>
        // Only at the first word: behind an argument no command can follow.
        `complete -c holdfast -n ${fishQuote(`__holdfast_at ${fishQuote(path)} 0`)} -a ${fishQuote(name)} -d ${fishQuote(description)}`,
    ),
    ...options.map(({ flags, description, value }) => {
      const names = flags.map((flag) =>
        flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const wanted = value === undefined ? "" : ` ${valueOptions(valueCode(value), "-x")}`;
      return `${here} ${names.join(" ")}${wanted} -d ${fishQuote(description)}`;
    }),
  ];
}

function argumentLine({ path, position, code }: ReturnType<typeof argumentRows>[number]): string {
  const condition = fishQuote(`__holdfast_at ${fishQuote(path)} ${position}`);
  return `complete -c holdfast -n ${condition} ${valueOptions(code, "")}`.trimEnd();
}

/** The options of \`complete\` for a value: \`-x\` demands one and offers no files. */
function valueOptions(code: string, exclusive: "-x" | ""): string {
  const start = exclusive === "" ? "" : `${exclusive} `;
  if (code.startsWith("=")) return `${start}-a ${fishQuote(code.slice(1))}`;
  if (code.startsWith("@")) return `${start}-a ${fishQuote(`(__holdfast_names ${code.slice(1)})`)}`;
  if (code === "folder") return `${start}-a '(__fish_complete_directories)'`;
  if (code === "file") return exclusive === "" ? "-F" : "-rF";
  return exclusive;
}

/** A word for fish, in which a backslash escapes a quote. */
function fishQuote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
