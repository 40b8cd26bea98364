// The completion script for zsh: to be sourced, or to lie as `_holdfast` in a folder of `fpath`.
import { argumentRows, type CommandPlace, optionRows, shellQuote } from "./command-tree.ts";

/** Goes through the words before the cursor, and then offers what can follow them. */
const walk = `_holdfast() {
  local place= kind= position=0 index word description
  local -A holdfast_options holdfast_arguments
  local -a reply
  __holdfast_tables
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    if [[ $word == -- ]]; then
      _files
      return
    elif [[ -n $kind ]]; then
      kind=
    elif [[ $word == -* ]]; then
      kind=\${holdfast_options[$place $word]}
    elif __holdfast_words "\${place:+$place }$word"; (( \${#reply} )); then
      place="\${place:+$place }$word"
      position=0
    else
      position=$((position + 1))
    fi
  done
  if [[ -n $kind ]]; then
    __holdfast_reply "$kind"
    return
  fi
  kind=\${holdfast_arguments[$place $position]:-\${holdfast_arguments[$place +]}}
  if [[ \${words[CURRENT]} != -* && -n $kind ]]; then
    __holdfast_reply "$kind"
    return
  fi
  __holdfast_words "$place"
  # Behind an argument only options can follow.
  (( position )) && [[ \${words[CURRENT]} != -* ]] && return 1
  if [[ \${words[CURRENT]} == -* ]]; then
    reply=(\${(M)reply:#-*})
  else
    reply=(\${reply:#-*})
  fi
  _describe holdfast reply
}

if [[ $funcstack[1] == _holdfast ]]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi
`;

/** The script for `source <(holdfast completion zsh)`. */
export function zshScript(places: readonly CommandPlace[]): string {
  return `#compdef holdfast
# Completes the command line of holdfast in zsh.
__holdfast_tables() {
  holdfast_options=(
${optionRows(places)
  .map(({ key, code }) => `    ${shellQuote(key)} ${shellQuote(code)}`)
  .join("\n")}
  )
  holdfast_arguments=(
${argumentRows(places)
  .map(({ path, position, code }) => `    ${shellQuote(`${path} ${position}`)} ${shellQuote(code)}`)
  .join("\n")}
  )
}

__holdfast_words() {
  reply=()
  case "$1" in
${places.map(wordsLines).join("\n")}
  esac
}

__holdfast_reply() {
  local kind=$1 line
  local -a names
  case "$kind" in
    # Quoted, because zsh would look for a program behind a bare equals sign.
    '='*) names=(\${=kind#=}); compadd -a names ;;
    '@'*)
      while IFS=$'\\t' read -r line description; do
        names+=("\${line//:/\\\\:}:$description")
      done < <(\${(Q)words[1]} __complete "\${kind#@}" -- "\${(@Q)words[2,-1]}" 2>/dev/null)
      _describe -V "\${kind#@}" names
      ;;
    folder) _files -/ ;;
    file) _files ;;
  esac
}

${walk}`;
}

/** Commands and options of a place, each with its description; a colon divides the two. */
function wordsLines({ path, commands, options }: CommandPlace): string {
  const words = [
    ...commands.map(({ name, description }) => `${name}:${description}`),
    ...options.flatMap(({ flags, description }) => flags.map((flag) => `${flag}:${description}`)),
  ];
  return `    ${shellQuote(path)}) reply=(${words.map(shellQuote).join(" ")}) ;;`;
}
