# An ACP agent for benchmarks whose process takes hardly any memory: says a kilobyte and makes two tool calls in each turn.
said='Holdfast never loses things: not a byte, not a process, not a turn. '

reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }

update() {
  printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}\n' "$1"
}

say() {
  update '{"sessionUpdate":"agent_message_chunk","messageId":"'"$1"'","content":{"type":"text","text":"'"$said"'"}}'
}

call() {
  update '{"sessionUpdate":"tool_call","toolCallId":"'"$1-$id"'","title":"Run '"$1"'","kind":"'"$1"'","status":"in_progress"}'
  update '{"sessionUpdate":"tool_call_update","toolCallId":"'"$1-$id"'","status":"completed"}'
}

work() {
  for piece in 1 2 3 4 5 6 7 8; do say before; done
  call edit
  call execute
  for piece in 1 2 3 4 5 6 7 8; do say after; done
}

while IFS= read -r line; do
  id=${line#*'"id":'}
  id=${id%%,*}
  case $line in
    *'"method":"initialize"'*)
      reply '{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"small","version":"1"}}' ;;
    *'"method":"session/new"'*) reply '{"sessionId":"s"}' ;;
    *'"method":"session/load"'*) reply '{}' ;;
    *'"method":"session/prompt"'*) work; reply '{"stopReason":"end_turn"}' ;;
  esac
done
