"""commit_source: the commit that is being built, as a C++ source."""

# Writes the value of STABLE_CONVEYOR_COMMIT, or "unknown".
_COMMAND = """
commit=unknown
while read -r key value; do
  if [ "$key" = STABLE_CONVEYOR_COMMIT ]; then commit=$value; fi
done < "$1"
cat > "$2" <<EOF
#include "absl/strings/string_view.h"
#include "benchmarks/commit.h"

namespace conveyor {
namespace bench {

absl::string_view BuildCommit() { return "$commit"; }

}  // namespace bench
}  // namespace conveyor
EOF
"""

def _commit_source_impl(ctx):
    ctx.actions.run_shell(
        command = _COMMAND,
        arguments = [ctx.info_file.path, ctx.outputs.out.path],
        # The stable status: a change of commit runs this again, and nothing
        # else does.
        inputs = [ctx.info_file],
        outputs = [ctx.outputs.out],
        mnemonic = "CommitSource",
        progress_message = "Writing the commit into %{output}",
    )

commit_source = rule(
    implementation = _commit_source_impl,
    doc = "Writes a source that defines conveyor::bench::BuildCommit(). What " +
          "depends on it is built again with every commit: binaries alone, no tests.",
    attrs = {"out": attr.output(mandatory = True)},
)
