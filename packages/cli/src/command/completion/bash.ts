// The completion script for bash, which needs nothing but bash itself.
import { argumentRows, type CommandPlace, optionRows, shellQuote } from "./command-tree.ts";

/** Goes through the words before the cursor, and then offers what can follow them. */
const walk = `_holdfast() {
  local IFS=$' \\t\\n' current=\${COMP_WORDS[COMP_CWORD]} place= kind= position=0 index word
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $word == -- ]]; then
      __holdfast_reply file "$current"
      return
    elif [[ -n $kind ]]; then
      kind=
    elif [[ $word == -* ]]; then
      kind=$(__holdfast_option "$place $word")
    elif __holdfast_is_place "\${place:+$place }$word"; then
      place="\${place:+$place }$word"
      position=0
    else
      position=$((position + 1))
    fi
  done
  if [[ -z $kind && $current != -* ]]; then
    kind=$(__holdfast_argument "$place" "$position")
    [[ -n $kind || $position -gt 0 ]] || kind="=$(__holdfast_words "$place commands")"
  elif [[ -z $kind ]]; then
    kind="=$(__holdfast_words "$place options")"
  fi
  __holdfast_reply "$kind" "$current"
}

complete -F _holdfast holdfast
`;

/** The script for `source <(holdfast completion bash)`. */
export function bashScript(places: readonly CommandPlace[]): string {
  const paths = places.map(({ path }) => path).filter((path) => path !== "");
  return `# Completes the command line of holdfast in bash.
__holdfast_is_place() {
  case "$1" in
    ${paths.map(shellQuote).join("|")}) return 0 ;;
  esac
  return 1
}

__holdfast_option() {
  case "$1" in
${optionRows(places)
  .map(({ key, code }) => `    ${shellQuote(key)}) printf %s ${shellQuote(code)} ;;`)
  .join("\n")}
  esac
}

__holdfast_argument() {
  case "$1 $2" in
${argumentRows(places).map(argumentLine).join("\n")}
  esac
}

__holdfast_words() {
  case "$1" in
${places.map(wordsLine).join("\n")}
  esac
}

__holdfast_reply() {
  local kind=$1 current=$2 name
  case "$kind" in
    '='*) COMPREPLY=($(compgen -W "\${kind#=}" -- "$current")) ;;
    '@'*)
      # Not by compgen, which would carry out what stands in a name.
      while IFS=$'\\t' read -r name _; do
        [[ $name == "$current"* ]] && COMPREPLY+=("$(printf %q "$name")")
      done < <("\${COMP_WORDS[0]}" __complete "\${kind#@}" -- "\${COMP_WORDS[@]:1}" 2>/dev/null)
      ;;
    folder) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")) ;;
    file) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}

${walk}`;
}

function argumentLine({ path, position, code }: ReturnType<typeof argumentRows>[number]): string {
  const pattern = position === "+" ? `${shellQuote(`${path} `)}*` : shellQuote(`${path} ${position}`);
  return `    ${pattern}) printf %s ${shellQuote(code)} ;;`;
}

function wordsLine({ path, commands, options }: CommandPlace): string {
  const names = commands.map(({ name }) => name).join(" ");
  const flags = options.flatMap((option) => option.flags).join(" ");
  return [
    `    ${shellQuote(`${path} commands`)}) printf %s ${shellQuote(names)} ;;`,
    `    ${shellQuote(`${path} options`)}) printf %s ${shellQuote(flags)} ;;`,
  ].join("\n");
}
