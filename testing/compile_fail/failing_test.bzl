"""failing_test: passes only if another test fails, and says why."""

_VERDICT = """#!/bin/sh
cd "$TEST_SRCDIR/$TEST_WORKSPACE" || exit 2
if output=$('{test}' 2>&1); then
  echo 'it passed'
  exit 1
fi
case $output in
*'{expect}'*) exit 0 ;;
esac
echo 'it failed, but did not say: {expect}'
echo "$output"
exit 1
"""

def _failing_test_impl(ctx):
    verdict = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(verdict, is_executable = True, content = _VERDICT.format(
        expect = ctx.attr.expect,
        test = ctx.executable.test.short_path,
    ))
    return [DefaultInfo(
        executable = verdict,
        runfiles = ctx.attr.test[DefaultInfo].default_runfiles,
    )]

failing_test = rule(
    implementation = _failing_test_impl,
    attrs = {
        "expect": attr.string(mandatory = True),
        "test": attr.label(cfg = "target", executable = True, mandatory = True),
    },
    test = True,
)
