#!/usr/bin/env bash
# Runs at each boot, after setup.sh.
set -euo pipefail
test -f .build/node-version
date -u +%FT%TZ >> .build/boots
echo "start: boot number $(wc -l < .build/boots)"
