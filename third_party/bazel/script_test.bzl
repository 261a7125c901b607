"""script_test: a shell script as a test, without a dependency on rules_shell."""

def _script_test_impl(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.file.src, is_executable = True)
    return [DefaultInfo(executable = executable, runfiles = ctx.runfiles(ctx.files.data))]

script_test = rule(
    implementation = _script_test_impl,
    doc = "Passes if `src` exits with 0. It runs in the runfiles of the workspace.",
    attrs = {
        "src": attr.label(allow_single_file = True, mandatory = True),
        "data": attr.label_list(allow_files = True),
    },
    test = True,
)
