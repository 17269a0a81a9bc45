#!/bin/sh
# Starts the sandbox's program. As a container's first process it needs an init above it, or orphans of hooks and agents
# would stay as zombies until the process limit is reached; as git's credential helper it needs none.
program=/opt/runwright/runwright-sandbox.mjs
if [ $$ -eq 1 ]; then
  exec tini -- node "$program" "$@"
fi
exec node "$program" "$@"
