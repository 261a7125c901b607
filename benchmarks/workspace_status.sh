#!/bin/sh
# Bazel's --workspace_status_command: names the commit that is being built.
commit=$(git rev-parse --verify --quiet --short=12 HEAD 2>/dev/null) || commit=unknown
if [ "$commit" != unknown ] && ! git diff --quiet HEAD -- 2>/dev/null; then
  commit=$commit-dirty
fi
echo "STABLE_CONVEYOR_COMMIT $commit"
