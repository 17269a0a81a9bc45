#!/usr/bin/env bash
# Prepares a fresh workspace; the demo's agent refuses to work without what this leaves.
set -euo pipefail
mkdir -p .build
node --version > .build/node-version
echo "setup: workspace prepared for Node $(cat .build/node-version)"
