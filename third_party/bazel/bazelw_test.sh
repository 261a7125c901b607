#!/usr/bin/env bash
# Tests what bazelw decides: which Bazel it takes, and what it adds to the
# arguments. Bazels, compilers, toolkits and GPUs are made-up files.
set -euo pipefail

bazelw=$PWD/bazelw
failures=0

# A fresh world: a repository, a PATH that holds nothing but a few tools, and
# no GPU. Each test makes what it needs in it.
new_world() {
  world=$(mktemp -d "$TEST_TMPDIR/world.XXXX")
  mkdir -p "$world"/{bin,dev,home,repo/third_party/bazel}
  cp "$bazelw" "$world/repo/bazelw"
  echo 'module(name = "conveyor")' >"$world/repo/MODULE.bazel"
  # shellcheck disable=SC2046  # one word for each tool
  ln -s $(type -P bash cat chmod cksum cut dirname env getent grep id mkdir rm timeout) "$world/bin"
  fake g++ 'exit 0'
  fake gcc 'exit 0'
}

fake() { # NAME BODY
  # First removed: it may be a link to the host's own tool.
  rm -f "$world/bin/$1"
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$world/bin/$1"
  chmod +x "$world/bin/$1"
}

# A Bazel of a version; PROBE is what it does when asked to resolve modules.
fake_bazel() { # NAME VERSION PROBE
  fake "$1" "
    case \"\$*\" in
    --version) echo 'bazel $2' ;;
    --batch*) echo probed >>$world/probes; $3 ;;
    *) echo \"$1: \$*\" ;;
    esac"
}

fake_debian() {
  fake apt-get 'exit 1'
  fake dpkg 'exit 1'
  cat >"$world/repo/third_party/bazel/bootstrap_debian" <<'END'
#!/usr/bin/env bash
mkdir -p "$1/bin"
printf '#!/usr/bin/env bash\necho "private: $*"\n' >"$1/bin/bazel"
chmod +x "$1/bin/bazel"
END
  chmod +x "$world/repo/third_party/bazel/bootstrap_debian"
}

fake_gpu() { touch "$world/dev/nvidia0"; }

fake_toolkit() {
  mkdir -p "$world/cuda/bin"
  touch "$world/cuda/bin/nvcc"
  chmod +x "$world/cuda/bin/nvcc"
}

# Runs bazelw in the world; $output is what it and the Bazel it took said.
# CUDA_PATH names the world's toolkit, or nothing that is there.
run() {
  status=0
  output=$(env -i PATH="$world/bin" HOME="$world/home" CONVEYOR_DEV="$world/dev" \
    CUDA_PATH="$world/cuda" "${environment[@]}" "$world/repo/bazelw" "$@" 2>&1) || status=$?
}
environment=()

expect() { # PATTERN
  # shellcheck disable=SC2053  # $1 is a pattern
  if [[ $output != $1 ]]; then
    echo "${FUNCNAME[1]}: expected $1, got (status $status):"
    echo "$output"
    failures=$((failures + 1))
  fi
}

expect_status() {
  if [ "$status" != "$1" ]; then
    echo "${FUNCNAME[1]}: expected status $1, got $status: $output"
    failures=$((failures + 1))
  fi
}

TakesBazelFromThePath() {
  fake_bazel bazel 7.7.1 'exit 0'
  run test //...
  expect "*bazel: test --disk_cache=$world/home/.cache/conveyor/disk --experimental* //..."
}

TakesBazeliskWhenBazelIsTooOld() {
  fake_bazel bazel 4.2.3 'exit 0'
  fake_bazel bazelisk 8.4.0 'exit 0'
  run info
  expect "*passing over*bazel (bazel 4.2.3)*bazelisk: info"
}

PassesOverVersionsThatDoNotFit() {
  local version
  for version in 7.6.9 9.0.0 10.7.0; do
    fake_bazel bazel "$version" 'exit 0'
    run info
    expect "*passing over*no Bazel 7.7 to 8*"
    expect_status 1
  done
}

AsksOncePerVersionWhetherModulesResolve() {
  fake_bazel bazel 7.7.1 'exit 0'
  run info
  run info
  output=$(cat "$world/probes")
  expect probed
  fake_bazel bazel 7.8.0 'exit 0'
  run info
  output=$(cat "$world/probes")
  expect $'probed\nprobed'
}

MakesAPrivateOneWhenModulesDoNotResolve() {
  fake_bazel bazel 7.7.1 'echo "ERROR: no route to host"; exit 1'
  fake_debian
  run build //:x
  expect "*it cannot: ERROR: no route to host*private: build --disk_cache=*//:x"
  run info
  expect "private: info"
}

GivesUpOnAProbeThatHangs() {
  ln -s "$(command -v sleep)" "$world/bin/sleep"
  fake_bazel bazel 7.7.1 'exec sleep 600'
  environment=(CONVEYOR_PROBE_SECONDS=1)
  run info
  environment=()
  expect "*no answer in time*no Bazel 7.7 to 8*"
}

MakesAPrivateOneWhenThereIsNone() {
  fake_debian
  run info
  expect "private: info"
}

SaysWhatToInstallWhereNothingWorks() {
  run info
  expect "*install bazelisk*"
  expect_status 1
}

NamesTheCompilersPackage() {
  fake_bazel bazel 7.7.1 'exit 0'
  rm "$world/bin/g++"
  run build //:x
  expect "*apt-get install g++*"
  expect_status 1
  environment=(CC=clang)
  run build //:x
  environment=()
  expect "*bazel: build *//:x"
}

PassesArgumentsOnUnchanged() {
  fake_bazel bazel 7.7.1 'exit 0'
  run --output_base=/x query 'deps(//a b)'
  expect "*bazel: --output_base=/x query deps(//a b)"
  run
  expect "bazel: "
  run --output_base=/x build --jobs=2 //a
  expect "bazel: --output_base=/x build --disk_cache=* --jobs=2 //a"
}

RunsSimulatedWithoutAGpu() {
  fake_bazel bazel 7.7.1 'exit 0'
  fake_toolkit
  run run //:conveyor -- bench
  expect "*simulated machine*bazel: run --disk_cache=* -c opt //:conveyor -- bench"
  [[ $output != *"bazel: run"*cuda* ]] || expect "no cuda"
}

RunsSimulatedWithoutAToolkit() {
  fake_bazel bazel 7.7.1 'exit 0'
  fake_gpu
  run run //:conveyor
  expect "*no CUDA toolkit*simulated machine*-c opt //:conveyor"
}

RunsOnTheGpuWhereThereIsOne() {
  fake_bazel bazel 7.7.1 'exit 0'
  fake_gpu
  fake_toolkit
  run run //:conveyor -- bench --config=mine
  expect "*running with --config=cuda*bazel: run * --config=cuda -c opt //:conveyor -- bench --config=mine"
}

KeepsTheBackendAndModeThatWereNamed() {
  fake_bazel bazel 7.7.1 'exit 0'
  fake_gpu
  fake_toolkit
  run run --//:backend=simulated -c dbg //:conveyor
  expect "*bazel: run --disk_cache=*=20G --//:backend=simulated -c dbg //:conveyor"
  run run --config=cuda --compilation_mode=fastbuild //:conveyor
  expect "bazel: run --disk_cache=*=20G --config=cuda --compilation_mode=fastbuild //:conveyor"
}

TestsKeepTheRepositorysBackend() {
  fake_bazel bazel 7.7.1 'exit 0'
  fake_gpu
  fake_toolkit
  run test //...
  expect "*bazel: test --disk_cache=*=20G //..."
}

TakesTheBazelThatTheVariableNames() {
  environment=(CONVEYOR_BAZEL="$world/bin/mine")
  fake mine 'echo "mine: $*"'
  run info
  environment=()
  expect "mine: info"
}

WorksWithoutHome() {
  fake_bazel bazel 7.7.1 'exit 0'
  environment=(HOME= XDG_CACHE_HOME="$world/xdg")
  run build //a
  expect "*bazel: build --disk_cache=$world/xdg/conveyor/disk *"
  fake getent 'echo nobody:x:1:1::/dev/null/nowhere:/bin/sh'
  environment=(HOME= TMPDIR="$world")
  run build //a
  environment=()
  expect "*no home folder*bazel: build --disk_cache=$world/conveyor-*/conveyor/disk *"
}

tests=$(compgen -A function | grep '^[A-Z]')
for t in $tests; do
  new_world
  "$t"
done
echo "$(wc -w <<<"$tests") tests, $failures failed expectations"
[ "$failures" = 0 ]
