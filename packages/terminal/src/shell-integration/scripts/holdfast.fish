# Tells Holdfast where prompts and commands begin and end. Read by fish after the user's configuration. Starts no process.

status is-interactive; or exit
set -g __hf_nonce
if test -r "$HOLDFAST_SHELL_FOLDER/nonce"
    read -g __hf_nonce <"$HOLDFAST_SHELL_FOLDER/nonce"
    # From here on only this shell knows it.
    echo -n >"$HOLDFAST_SHELL_FOLDER/nonce"
end
set -e HOLDFAST_SHELL_FOLDER
test -n "$__hf_nonce"; or exit

# As printable ASCII without semicolons, and not too long for a mark.
function __hf_escape
    string escape --style=url -- "$argv[1]" | string replace --all % '\\x' | string sub --length 7600
end

# The screen is meant even when the shell's own output goes elsewhere.
function __hf_tell
    for mark in $argv
        printf '\e]633;%s;%s\a' "$mark" $__hf_nonce
    end >/dev/tty 2>/dev/null
end

function __hf_preexec --on-event fish_preexec
    set -g __hf_running 1
    __hf_tell "E;"(__hf_escape "$argv[1]") C
end

function __hf_postexec --on-event fish_postexec
    set -l ended $status
    if set -q __hf_running
        set -e __hf_running
        __hf_tell "D;$ended"
    end
end

function __hf_before_prompt --on-event fish_prompt
    if test "$PWD" != "$__hf_cwd"
        set -g __hf_cwd "$PWD"
        __hf_tell "P;Cwd="(__hf_escape "$PWD")
    end
    __hf_tell A
end

# The prompt of the user's, and where it ends.
if functions -q fish_prompt
    functions -c fish_prompt __hf_user_prompt
    function fish_prompt
        __hf_user_prompt
        printf '\e]633;B;%s\a' $__hf_nonce
    end
end
