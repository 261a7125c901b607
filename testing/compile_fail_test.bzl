"""compile_fail_test: proves that wrong code does not compile, and why it does not."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain", "use_cpp_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

# Compiles, and succeeds whatever comes of it: output and status are files.
_COMPILE = """
log=$1 status=$2 object=$3
shift 3
: >"$object"
"$@" >"$log" 2>&1
echo $? >"$status"
"""

_VERDICT = """#!/bin/sh
cd "$TEST_SRCDIR/$TEST_WORKSPACE" || exit 2
status=$(cat '{status}')
if [ "$status" = 0 ]; then
  echo '{src} compiled, but it must not.'
  exit 1
fi
if grep -qF -e '{expect}' '{log}'; then
  exit 0
fi
echo '{src} does not compile, but for another reason than this test expects.'
echo 'Expected in the message of the compiler, which follows: {expect}'
cat '{log}'
exit 1
"""

def _compile_fail_test_impl(ctx):
    if "'" in ctx.attr.expect or "\n" in ctx.attr.expect:
        fail("`expect` is one line without single quotes")
    cc_toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    compilation = cc_common.merge_compilation_contexts(
        compilation_contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps],
    )
    src = ctx.file.src
    root = ctx.label.workspace_root or "."
    log = ctx.actions.declare_file(ctx.label.name + ".log")
    status = ctx.actions.declare_file(ctx.label.name + ".status")
    object = ctx.actions.declare_file(ctx.label.name + ".o")
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        source_file = src.path,
        output_file = object.path,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts,
        include_directories = compilation.includes,
        quote_include_directories = depset([root], transitive = [compilation.quote_includes]),
        system_include_directories = depset(transitive = [
            compilation.system_includes,
            compilation.external_includes,
        ]),
        preprocessor_defines = compilation.defines,
    )
    args = ctx.actions.args()
    args.add_all([log, status, object])
    args.add(cc_common.get_tool_for_action(
        feature_configuration = features,
        action_name = "c++-compile",
    ))
    args.add_all(cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = "c++-compile",
        variables = variables,
    ))
    ctx.actions.run_shell(
        command = _COMPILE,
        arguments = [args],
        inputs = depset([src], transitive = [compilation.headers, cc_toolchain.all_files]),
        outputs = [log, status, object],
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = "c++-compile",
            variables = variables,
        ),
        use_default_shell_env = True,
        mnemonic = "CompileFail",
        progress_message = "Compiling %{input}, which must fail",
    )
    verdict = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(verdict, is_executable = True, content = _VERDICT.format(
        expect = ctx.attr.expect,
        log = log.short_path,
        src = src.short_path,
        status = status.short_path,
    ))
    return [DefaultInfo(
        executable = verdict,
        runfiles = ctx.runfiles([log, status]),
    )]

_compile_fail_test = rule(
    implementation = _compile_fail_test_impl,
    attrs = {
        "src": attr.label(allow_single_file = [".cc"], mandatory = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "expect": attr.string(mandatory = True),
    },
    fragments = ["cpp"],
    test = True,
    toolchains = use_cpp_toolchain(),
)

def compile_fail_test(name, src, expect, deps = [], **kwargs):
    """A test that passes only if `src` fails to compile with the right message.

    It is compiled as a cc_library's source would be, on the backend in force.
    A file that includes what does not exist fails too: `expect` is what keeps
    the test honest, so make it the words that a user is to read.

    Args:
      name: x_compile_fail_test.
      src: one C++ file, with one mistake.
      expect: what the compiler's message contains; one line, no single quotes.
      deps: the libraries whose headers `src` includes.
      **kwargs: size, tags and the like.
    """
    _compile_fail_test(
        name = name,
        src = src,
        expect = expect,
        deps = deps,
        size = kwargs.pop("size", "small"),
        **kwargs
    )
