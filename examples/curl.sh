#!/bin/sh
# The app API with nothing but curl: a session, a turn that is answered whole, its history, its terminal, its end.
# Usage: URL=http://127.0.0.1:4747 TOKEN=$(cat ~/.local/state/holdfast/token) sh examples/curl.sh
set -eu

api() {
  path=$1
  shift
  # Other users of the machine can see the arguments of a program, so the token comes through a pipe.
  printf 'header = "x-api-key: %s"' "$TOKEN" |
    curl -K - -sS --fail-with-body -H 'content-type: application/json' "$URL$path" "$@"
  echo
}

# The first value of a member in what is read.
member() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

# Nobody can be asked during a turn that is answered whole, so the session says beforehand what is allowed.
KEY=$(api /sdk/acp/session -d '{"agent_id":"shell","cwd":"/tmp","approvalPolicy":"approve-all"}' | member session_key)

# The same Idempotency-Key is the same turn: sent again, this answers without running anything again.
api "/sdk/acp/session/$KEY/chat" -H 'idempotency-key: hello' -d '{"message":"echo hello from curl"}'
api "/sdk/acp/session/$KEY/chat" -H 'idempotency-key: hello' -d '{"message":"echo hello from curl"}' > /dev/null

# Everything that happened, from the first event on; -N shows events as they come.
api "/sdk/acp/session/$KEY/events?after=0" -N | grep '^event:' | sort | uniq -c

# The command was a terminal, which can still be read.
TERMINAL=$(api "/sdk/acp/terminals?session=$KEY" | member id)
api "/sdk/acp/terminals/$TERMINAL/output"

# What was done is on record.
api "/admin/audit?session=$KEY" | grep -o '"what":"[^"]*"' | sort | uniq -c

# Without purge the session is only hidden, and its history kept.
api "/sdk/acp/session/$KEY?purge=true" -X DELETE
