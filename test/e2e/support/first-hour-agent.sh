# The agent of docs/use/sessions.md: notes what it is asked in its home; works on some prompts until it is cancelled.
text=$(cat)
echo "$text" >> "$HOME/asked"

# Sends a request to the server of the tools for child sessions; its answer is in $answer.
ask() {
  echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":$2}" >&"${COPROC[1]}"
  read -r answer <&"${COPROC[0]}"
}

# The value of the first text field $1 in $answer, which holds JSON in a string of JSON.
field() {
  grep -o "\\\\\"$1\\\\\":\\\\\"[^\\\\]*" <<< "$answer" | head -n 1 | sed 's/.*"//'
}

case $text in
  *framework*)
    git switch --quiet --create upgrade/next
    git commit --quiet --allow-empty --message "Upgrade the framework"
    git push --quiet origin HEAD
    echo "All 212 tests pass." ;;
  *first*) head -n 1 "$HOME/asked" ;;
  *branch*) git branch --show-current ;;
  *alone*) echo "The changelog is written." ;;
  *child*)
    coproc runwright-sandbox children
    client='{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}'
    ask initialize "$client"
    ask tools/call '{"name":"spawn-child","arguments":{"prompt":"Run the tests."}}'
    child=$(field name)
    while [ "$(field summary)" = "" ]; do
      sleep 1
      ask tools/call "{\"name\":\"get-child\",\"arguments\":{\"child\":\"$child\"}}"
    done
    echo "Child session $child: $(field summary)" ;;
  *tests*) echo "all 212 tests pass." ;;
  *) sleep 3600 ;;
esac
