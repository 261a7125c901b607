#!/usr/bin/env bash
# stages.sh STAGE: one stage of run or full; by hand, too:
#
#   .ci/stages.sh lint
#
# Exit status 77 means skipped; the last line says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
logs=${CI_LOGS:-$(mktemp -d)}
root=$PWD

die() { echo "$*" >&2; exit 1; }
skip() { echo "$*"; exit 77; }

# Installs the Debian packages of commands that are missing.
need() { # COMMAND:PACKAGE...
  local pair packages=()
  for pair; do
    command -v "${pair%%:*}" >/dev/null || packages+=("${pair#*:}")
  done
  [ ${#packages[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || die "this machine lacks packages; as root: apt-get install ${packages[*]}"
  echo "installing ${packages[*]}"
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${packages[@]}" >/dev/null
}

# bazelw, with a file of events by which tests are counted. The n-th call of a
# stage writes STAGE.n.bep.
calls=0
bazel() { # COMMAND ARGUMENT...
  calls=$((calls + 1))
  local command=$1
  shift
  "$root/bazelw" "$command" --show_progress_rate_limit=20 --curses=no --color=no \
    --build_event_json_file="$logs/${CI_STAGE:-stage}.$calls.bep" "$@"
}

# As bazelw and third_party/local_toolkits.bzl see it.
has_toolkit() {
  local home
  if [ -n "${CUDA_PATH:-${CUDA_HOME:-}}" ]; then
    [ -x "${CUDA_PATH:-$CUDA_HOME}/bin/nvcc" ]
    return
  fi
  for home in /usr/local/cuda /opt/cuda /usr/local/cuda-*; do
    [ ! -x "$home/bin/nvcc" ] || return 0
  done
  command -v nvcc >/dev/null
}

stage_packages() {
  need g++:g++ git:git nm:binutils clang-format:clang-format
  command -v buildifier >/dev/null || need npm:npm
  echo "nothing is missing"
}

stage_full_packages() {
  need clang-tidy:clang-tidy objdump:binutils
  echo "nothing is missing"
}

# README's own command, with an addition that changes nothing.
stage_tests() {
  local command
  command=$(sed -nE 's,^(\$ )?(\./bazelw test [^#]*[^# ]) *(#.*)?$,\2,p' README.md | head -n 1)
  [ -n "$command" ] || die "README.md names no ./bazelw test command on a line of its own"
  echo "README.md: $command"
  # shellcheck disable=SC2086  # its words are arguments
  bazel ${command#./bazelw }
}

stage_lint() { tools/lint; }

stage_providers() { tools/check_providers; }

stage_cuda_build() {
  has_toolkit || skip "no CUDA toolkit here"
  bazel build --config=cuda //...
}

stage_bundle() {
  grep -qs 'name = "bundle"' testing/hardware/BUILD || skip "there is no //testing/hardware:bundle yet"
  has_toolkit || skip "no CUDA toolkit here"
  bazel build //testing/hardware:bundle
  local execroot archive
  execroot=$("$root/bazelw" info execution_root 2>/dev/null)
  archive=$("$root/bazelw" cquery --output=files //testing/hardware:bundle 2>/dev/null | head -n 1)
  BAZEL=$root/bazelw testing/hardware/check_bundle "$execroot/$archive"
}

# A downstream project, with other flags appended.
consumer() { # FLAG...
  (
    cd testing/consumer
    trap '"$root/bazelw" shutdown' EXIT
    bazel test "$@" --@conveyor//:backend=simulated //...
    if has_toolkit; then
      # With no backend named, a project that depends on us is never simulated.
      bazel build "$@" //...
    fi
  )
}

stage_consumer() { consumer; }

stage_consumer_workspace() { consumer --noenable_bzlmod --enable_workspace; }

# Everything simulated builds and passes on a machine without a toolkit; what
# needs one fails, and says what to set.
stage_no_toolkit() {
  bazel test --repo_env=CUDA_PATH=/nonexistent --repo_env=NCCL_PATH=/nonexistent //...
  local output
  if output=$("$root/bazelw" build --repo_env=CUDA_PATH=/nonexistent --repo_env=NCCL_PATH=/nonexistent \
    --config=cuda //transfer:copy 2>&1); then
    die "built for CUDA with no toolkit"
  fi
  [[ $output == *CUDA_PATH*backend=simulated* ]] || die "it does not say what to do: $output"
}

stage_asan_ubsan() {
  bazel test --config=asan --config=ubsan -- $(sanitized)
}

stage_tsan() {
  bazel test --config=tsan -- $(sanitized)
}

# What thread sanitizer finds with the simulated machine, by programs of which it
# is known.
stage_tsan_corpus() {
  bazel test --config=tsan //testing/sim/corpus:corpus_sim_test
}

# The folders of the libraries that exist.
sanitized() {
  local folder
  for folder in transfer multigpu testing; do
    [ ! -d "$folder" ] || echo "//$folder/..."
  done
}

stage_mutate_waits() {
  testing/mutate_waits
}

stage_tidy() { tools/lint --tidy; }

stage_shutdown() { "$root/bazelw" shutdown; }

"stage_$1"
