# Tells Holdfast where prompts and commands begin and end. Read by an interactive bash in place of its start-up files,
# which it then reads itself. Starts no process: what a command line is comes from `history` by way of a file.

__hf_folder=${HOLDFAST_SHELL_FOLDER-}
unset HOLDFAST_SHELL_FOLDER
__hf_nonce= __hf_scratch=/dev/null
if [[ -n $__hf_folder && -r $__hf_folder/nonce ]]; then
  IFS= read -r __hf_nonce <"$__hf_folder/nonce" || :
  # From here on only this shell knows it.
  : 2>/dev/null >|"$__hf_folder/nonce" || :
  __hf_scratch=$__hf_folder/line
fi
unset __hf_folder

# The functions stand before the user's files, whose aliases would change what they mean. The user may have set any
# option: `local -` (bash 4.4) puts back what they need otherwise.
__hf_plainly=:
if ((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4))); then
  __hf_plainly='local -; builtin set +o xtrace +o verbose +o errexit +o nounset +o errtrace +o functrace +o noglob +o allexport'
fi

# __hf_escape TEXT: into __hf_escaped, as printable characters without semicolons, and not too long for a mark.
__hf_escape() {
  local text=$1 code character
  if ((${#text} > 1900)); then text=${text:0:1900}…; fi
  text=${text//"\\"/"\\\\"}
  text=${text//";"/"\\x3b"}
  if [[ $text == *[[:cntrl:]]* ]]; then
    for code in 0{1..9} 0{a..f} 1{0..9} 1{a..f} 7f; do
      builtin printf -v character "\\x$code"
      text=${text//"$character"/"\\x$code"}
    done
  fi
  __hf_escaped=$text
}

# __hf_tell MARK…: the screen is meant even when the shell's own output goes elsewhere.
__hf_tell() {
  local mark text=
  for mark in "$@"; do text+=$'\e]633;'$mark';'$__hf_nonce$'\a'; done
  { builtin printf '%s' "$text" >/dev/tty; } 2>/dev/null || :
}

# The newest line of the history; empty when this command did not get there.
__hf_read_line() {
  local HISTTIMEFORMAT= entry= number
  __hf_line=
  { builtin history 1 >|"$__hf_scratch" && IFS= builtin read -r -d '' entry <"$__hf_scratch"; } 2>/dev/null || :
  { : >|"$__hf_scratch"; } 2>/dev/null || :
  entry=${entry%$'\n'}
  entry=${entry#"${entry%%[0-9]*}"}
  number=${entry%%[!0-9]*}
  # A star stands for an entry that was edited.
  entry=${entry#"$number"[ *] }
  # Not a new entry: either the same line again, or one that the user wants to be forgotten.
  if [[ $number == "$__hf_number" && $entry != "$__hf_first"* ]]; then entry=$__hf_first; fi
  __hf_number=$number
  __hf_line=${entry:-$__hf_first}
}

# Before the first simple command of a line.
__hf_debug() {
  {
    local __hf_status=$? __hf_options=$-
    eval "$__hf_plainly"
    __hf_drops=
    if [[ -n ${__hf_armed-} && -z ${COMP_LINE-} && -z ${READLINE_POINT-} ]]; then
      unset -v __hf_armed
      __hf_running=1
      __hf_first=$BASH_COMMAND
      __hf_read_line
      __hf_escape "$__hf_line"
      if [[ -n $__hf_has_ps0 ]]; then __hf_tell "E;$__hf_escaped"; else __hf_tell "E;$__hf_escaped" C; fi
      # Without our trap nobody knows at the next prompt whether somebody has set another.
      if [[ -z $__hf_user_trap && $__hf_line == *'|'*'&'* ]]; then __hf_drops=1 __hf_looking=1; fi
      __hf_hook_prompt
    fi
  } 2>/dev/null
  if [[ -n $__hf_drops ]]; then return 1; fi
  # For the user's trap; without one, a status would tell a debugging shell to skip the command. And with errexit it
  # would end the shell.
  [[ -z $__hf_user_trap || $__hf_options == *e* ]] || return "$__hf_status"
}

# First of what runs before a prompt: the command has ended.
__hf_precmd() {
  {
    local __hf_status=$? __hf_options=$-
    eval "$__hf_plainly"
    if [[ -n ${__hf_armed-} && -n $__hf_has_ps0 ]]; then
      # A command was read, but had no simple command in this shell: a subshell, or the definition of a function.
      __hf_running=1
      __hf_first=
      __hf_read_line
      __hf_escape "$__hf_line"
      __hf_tell "E;$__hf_escaped"
    fi
    # Unset, because with allexport what PS0 sets is exported.
    unset -v __hf_armed
    if [[ -n $__hf_running ]]; then __hf_tell "D;$__hf_status"; fi
    __hf_running= __hf_alive=
    __hf_came_first=1
  } 2>/dev/null
  [[ $__hf_options == *e* ]] || return "$__hf_status"
}

# Last of what runs before a prompt.
__hf_prompt() {
  {
    local __hf_status=$? __hf_options=$- __hf_has_looked=$__hf_looking
    eval "$__hf_plainly"
    if [[ -z $__hf_came_first ]]; then
      __hf_set_status "$__hf_status"
      __hf_precmd
    fi
    __hf_came_first= __hf_looking=
    # Somebody has set another DEBUG trap. It cannot be seen in a function: the next prompt shall look.
    if [[ -z $__hf_has_looked && -z $__hf_alive ]]; then __hf_looking=1; fi
    if [[ $PWD != "$__hf_cwd" ]]; then
      __hf_cwd=$PWD
      __hf_escape "$PWD"
      __hf_tell "P;Cwd=$__hf_escaped" A
    else
      __hf_tell A
    fi
    __hf_hook_prompt
    __hf_hook_ps
    # Last, because it runs for every command that follows.
    if [[ -n $__hf_has_looked ]]; then __hf_hook_debug; fi
  } 2>/dev/null
  [[ $__hf_options == *e* ]] || return "$__hf_status"
}

__hf_set_status() { return "$1"; }

# PROMPT_COMMAND: ours first and last, whatever the user made of it since.
__hf_hook_prompt() {
  local entry kept=() look=()
  if [[ -n $__hf_looking ]]; then look=("$__hf_look"); fi
  if [[ -z $__hf_has_array ]]; then
    entry=${PROMPT_COMMAND-}
    entry=${entry#$'__hf_precmd\n'}
    entry=${entry%$'\n__hf_prompt'}
    entry=${entry%$'\n'"$__hf_look"}
    entry=${entry//__hf_precmd/:}
    PROMPT_COMMAND=$'__hf_precmd\n'${entry//__hf_prompt/:}${look:+$'\n'$look}$'\n__hf_prompt'
    return
  fi
  for entry in "${PROMPT_COMMAND[@]}"; do
    if [[ $entry != __hf_precmd && $entry != __hf_prompt && $entry != "$__hf_look" ]]; then
      entry=${entry//__hf_precmd/:}
      kept+=("${entry//__hf_prompt/:}")
    fi
  done
  PROMPT_COMMAND=(__hf_precmd "${kept[@]}" "${look[@]}" __hf_prompt)
}

# The DEBUG trap, as $__hf_look has written it down: the user's runs after ours, and not for our own commands. Without
# one, ours takes itself off before a line with a pipeline in the background: where there is a DEBUG trap, bash gives the
# terminal to such a pipeline (run_debug_trap in its trap.c), and then `a | b & read line` cannot read.
__hf_look='builtin trap -p DEBUG >|"$__hf_scratch"'
__hf_hook_debug() {
  local text= parts=() action
  { IFS= builtin read -r -d '' text <"$__hf_scratch" || : >|"$__hf_scratch"; } 2>/dev/null
  if [[ $text == *__hf_debug* ]]; then return; fi
  if [[ -n $text ]]; then eval "parts=($text)"; fi
  __hf_user_trap=${parts[2]:+1}
  # What $_ is must not change.
  action='|| { __hf_last=$_; builtin trap - DEBUG; : "$__hf_last"; } 2>/dev/null'
  if [[ -n $__hf_user_trap ]]; then action=$'\n'${parts[2]}; fi
  builtin trap -- 'case ${FUNCNAME-}:$BASH_COMMAND in *__hf_*) __hf_alive=1 ;; *) __hf_debug "$_"'" $action"$'\n'';; esac' DEBUG
}

# PS0 is shown when a line has been read, and PS1 ends a prompt. Both may be exported, so the nonce stands in neither.
__hf_hook_ps() {
  __hf_has_ps0=
  if [[ $__hf_plainly != : ]] && builtin shopt -q promptvars; then
    __hf_has_ps0=1
    if [[ ${PS0-} != *__hf_nonce* ]]; then PS0=${PS0-}'\e]633;C;${__hf_nonce:$((__hf_armed=1,0))}\a'; fi
  else
    __hf_armed=1
  fi
  if builtin shopt -q promptvars && [[ ${PS1-} != *__hf_nonce* ]]; then PS1=${PS1-}'\[\e]633;B;${__hf_nonce-}\a\]'; fi
}

# After the user's files. Without a nonce nobody listens; before version 4 there is too little to work with.
__hf_start() {
  eval "$__hf_plainly"
  if [[ -z $__hf_nonce || ${BASH_VERSINFO[0]} -lt 4 ]]; then
    unset -v __hf_nonce __hf_scratch __hf_plainly __hf_look
    unset -f __hf_escape __hf_tell __hf_read_line __hf_debug __hf_precmd __hf_prompt __hf_set_status
    unset -f __hf_hook_prompt __hf_hook_debug __hf_hook_ps
    return
  fi
  __hf_running= __hf_came_first= __hf_has_ps0= __hf_has_array= __hf_user_trap= __hf_looking= __hf_drops= __hf_alive=1
  __hf_cwd= __hf_number= __hf_line= __hf_first= __hf_escaped=
  if ((BASH_VERSINFO[0] > 5 || (BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] >= 1))); then __hf_has_array=1; fi
  __hf_hook_debug
  __hf_hook_prompt
}

# What bash would have read. Not in a function, where a `declare` of the user's would be lost.
if [[ -o posix ]]; then
  # Started as a login shell, for which bash has no other way to read this file first.
  set +o posix
  unset ENV
  shopt -u inherit_errexit 2>/dev/null
  if [[ ${HISTFILE-} == ~/.sh_history ]]; then HISTFILE=~/.bash_history; fi
  if [[ -r /etc/profile ]]; then . /etc/profile; fi
  if [[ -r ~/.bash_profile ]]; then
    . ~/.bash_profile
  elif [[ -r ~/.bash_login ]]; then
    . ~/.bash_login
  elif [[ -r ~/.profile ]]; then
    . ~/.profile
  fi
elif [[ -r ~/.bashrc ]]; then
  . ~/.bashrc
fi

# bash-preexec installs itself before the first prompt, by a PROMPT_COMMAND that it takes for a string: do it before ours.
if [[ -n ${__bp_install_string-} && ${PROMPT_COMMAND-} == *"$__bp_install_string"* ]]; then
  eval "$__bp_install_string" || :
fi

# A DEBUG trap of the user's runs for these two; what it says is not heard.
{
  builtin trap -p DEBUG >|"$__hf_scratch"
  __hf_start
} >/dev/null 2>&1
unset -f __hf_start
