# Sourced by run and full: runs stages under time limits and counts what came
# of them. A stage is a function of stages.sh; its output goes to the terminal
# and to a log in the cache folder.

cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/conveyor
logs=$cache/ci/$(basename "$0")
mkdir -p "$logs"
rm -f "$logs"/*

started=$SECONDS
table=()
passed=0
failed=0
skipped=0

# Tests that ended with a status, by the build event files of a stage.
tests_that() { # STAGE STATUS-PATTERN
  cat "$logs/$1".*.bep 2>/dev/null | grep -cE "\"testSummary\":\{.*\"overallStatus\":\"($2)\"" || true
}

# Runs a stage, for at most so many seconds: then its whole process group ends.
# A stage that runs tests counts by its tests, another one as one.
stage() { # NAME SECONDS
  local name=$1 limit=$2 begin=$SECONDS status=0 verdict
  # What is left of the whole run's limit, if that is less.
  ((limit <= total_limit - (SECONDS - started))) || limit=$((total_limit - (SECONDS - started)))
  echo
  echo "=== $name"
  if ((limit <= 0)); then
    echo "no time is left"
    status=124
  else
    : >"$logs/$name.log"
    CI_LOGS=$logs CI_STAGE=$name timeout --kill-after=20 "$limit" \
      bash "$(dirname "${BASH_SOURCE[0]}")/stages.sh" "$name" >"$logs/$name.log" 2>&1 </dev/null &
    local pid=$!
    # shellcheck disable=SC2064  # this process, not a later one
    trap "kill $pid 2>/dev/null; exit 130" INT TERM
    # The log, as it comes.
    tail -n +1 -f --pid="$pid" "$logs/$name.log"
    wait "$pid" || status=$?
    trap - INT TERM
  fi
  local good bad
  good=$(tests_that "$name" 'PASSED|FLAKY')
  bad=$(tests_that "$name" 'FAILED|TIMEOUT|REMOTE_FAILURE|FAILED_TO_BUILD|INCOMPLETE')
  case $status in
  0) verdict=passed ;;
  77)
    verdict="skipped: $(tail -n 1 "$logs/$name.log")"
    ((++skipped))
    ;;
  124 | 137) verdict="FAILED: out of time ($limit s)" ;;
  *) verdict=FAILED ;;
  esac
  if [ "$status" = 0 ]; then
    ((good + bad > 0)) || good=1
  elif [ "$status" != 77 ]; then
    ((bad > 0)) || bad=1
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  table+=("$(printf '%6d s  %-18s %s' $((SECONDS - begin)) "$name" "$verdict")")
}

# Prints the table and the verdict, and exits by it.
finish() {
  echo
  printf '%s\n' "${table[@]}"
  printf '%6d s  in all; logs in %s\n' $((SECONDS - started)) "$logs"
  ((skipped == 0)) || echo "$skipped stages skipped"
  echo "$passed passed, $failed failed"
  ((failed == 0))
  exit
}
