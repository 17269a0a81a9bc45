#!/usr/bin/env bash
# An agent for a first try, which needs no model: it writes what it was asked into a file and pushes that on a branch of its own.
set -euo pipefail
branch="runwright/first-$(date -u +%Y%m%d-%H%M%S)"
git switch --quiet --create "$branch"
cat > asked.md # the prompt comes on standard input
git add asked.md
git commit --quiet --message "Write down what was asked"
git push --quiet origin "$branch"
echo "Pushed $branch. Put a real agent in the place of this script."
