# Tells Holdfast where prompts and commands begin and end. zsh finds this file by a ZDOTDIR that is put back at once,
# so all files of the user are read by zsh itself, in their order. Starts no process.

if [[ -n ${HOLDFAST_USER_ZDOTDIR+set} ]]; then
  export ZDOTDIR=$HOLDFAST_USER_ZDOTDIR
else
  unset ZDOTDIR
fi
unset HOLDFAST_USER_ZDOTDIR
typeset -g __hf_nonce=
if [[ -r ${HOLDFAST_SHELL_FOLDER-}/nonce ]]; then
  IFS= builtin read -r __hf_nonce <$HOLDFAST_SHELL_FOLDER/nonce
  # From here on only this shell knows it.
  : >|$HOLDFAST_SHELL_FOLDER/nonce
fi
unset HOLDFAST_SHELL_FOLDER

# The functions stand before the user's files, whose aliases would change what they mean.
if [[ -o interactive && -n $__hf_nonce ]]; then
  # __hf_escape TEXT: into REPLY, as printable ASCII without semicolons, and not too long for a mark.
  __hf_escape() {
    builtin emulate -L zsh
    builtin setopt extendedglob nomultibyte
    local MATCH MBEGIN MEND
    REPLY=${1//(#m)[^ -\:\<-\[\]-\~]/\\x${(l:2::0:)$(([##16] #MATCH))}}
    if ((${#REPLY} > 7600)); then REPLY=${REPLY[1,7600]}; fi
  }

  # __hf_tell MARK…: the screen is meant even when the shell's own output goes elsewhere.
  __hf_tell() {
    builtin emulate -L zsh
    local mark text=
    for mark; do text+=$'\e]633;'$mark';'$__hf_nonce$'\a'; done
    { builtin print -rn -- $text >/dev/tty } 2>/dev/null
  }

  # First of the functions before a prompt: the command has ended.
  __hf_precmd() {
    local __hf_status=$?
    builtin emulate -L zsh
    if ((__hf_running)); then
      __hf_running=0
      if [[ -z $__hf_eol_mark ]]; then
        __hf_tell "D;$__hf_status"
      elif [[ ${PROMPT_EOL_MARK-} == $__hf_eol_mark ]]; then
        if ((__hf_had_eol_mark)); then PROMPT_EOL_MARK=$__hf_user_eol_mark; else unset PROMPT_EOL_MARK; fi
      fi
      __hf_eol_mark=
    fi
  }

  # Last of them.
  __hf_prompt() {
    builtin emulate -L zsh
    local REPLY
    if [[ $PWD != $__hf_cwd ]]; then
      __hf_cwd=$PWD
      __hf_escape $PWD
      __hf_tell "P;Cwd=$REPLY" A
    else
      __hf_tell A
    fi
    if [[ $precmd_functions[1] != __hf_precmd || $precmd_functions[-1] != __hf_prompt ]]; then __hf_hook; fi
    # Each command would find the nonce in an exported prompt: then the end of the prompt is not marked.
    if [[ ${(t)PS1} == *export* ]]; then
      PS1=${PS1//$__hf_prompt_end/}
    elif [[ $PS1 != *$__hf_prompt_end* ]]; then
      PS1+=$__hf_prompt_end
    fi
  }

  # After a command zsh itself writes first: the mark of a line that was not ended. The end of the command goes before it.
  __hf_preexec() {
    local __hf_ends_lines=0
    if [[ -o promptsp && -o promptcr && -o promptpercent ]]; then __hf_ends_lines=1; fi
    builtin emulate -L zsh
    local REPLY
    __hf_running=1
    __hf_eol_mark=
    if ((__hf_ends_lines)) && [[ ${(t)PROMPT_EOL_MARK} != *export* ]]; then
      __hf_had_eol_mark=${+PROMPT_EOL_MARK}
      __hf_user_eol_mark=${PROMPT_EOL_MARK-%B%S%#%s%b}
      __hf_eol_mark=$'%{\e]633;D;%?;'$__hf_nonce$'\a%}'$__hf_user_eol_mark
      typeset -g PROMPT_EOL_MARK=$__hf_eol_mark
    fi
    __hf_escape "${1:-$3}"
    __hf_tell "E;$REPLY" C
    if ((! ${precmd_functions[(I)__hf_precmd]})); then __hf_hook; fi
  }

  __hf_hook() {
    builtin emulate -L zsh
    precmd_functions=(__hf_precmd ${precmd_functions:#__hf_*} __hf_prompt)
    preexec_functions=(${preexec_functions:#__hf_*} __hf_preexec)
  }

  typeset -gi __hf_running=0 __hf_had_eol_mark=0
  typeset -g __hf_cwd= __hf_eol_mark= __hf_user_eol_mark= __hf_prompt_end=$'%{\e]633;B;'$__hf_nonce$'\a%}'
  # With allexport, what was set above would be in the environment of every command.
  typeset -g +x __hf_nonce __hf_running __hf_cwd __hf_prompt_end __hf_had_eol_mark __hf_eol_mark __hf_user_eol_mark
  typeset -ga precmd_functions preexec_functions
  __hf_hook
fi

if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
  builtin source ${ZDOTDIR-$HOME}/.zshenv
fi
