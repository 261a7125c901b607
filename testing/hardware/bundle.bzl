"""hardware_bundle: tests and programs for GPU machines, in one archive."""

_BACKEND = str(Label("//:backend"))

# libstdc++ inside: the GPU machine needs no C++ library, new or old. Bazel's own
# -lstdc++ comes later and is then not needed. No symbols: they are most bytes.
_LINKOPTS = ["-l:libstdc++.a", "-static-libgcc", "-Wl,-s"]

def _hardware_transition_impl(settings, _attr):
    linkopts = settings["//command_line_option:linkopt"]
    return {
        _BACKEND: "cuda",
        "//command_line_option:compilation_mode": "opt",
        "//command_line_option:linkopt": linkopts + _LINKOPTS,
    }

_hardware_transition = transition(
    implementation = _hardware_transition_impl,
    inputs = ["//command_line_option:linkopt"],
    outputs = [
        _BACKEND,
        "//command_line_option:compilation_mode",
        "//command_line_option:linkopt",
    ],
)

# Seconds by Bazel's test timeouts.
_SECONDS = {"short": 60, "moderate": 300, "long": 900, "eternal": 3600}

_TestTimeoutInfo = provider(
    doc = "How long a test may run.",
    fields = {"seconds": "The time limit in seconds."},
)

def _test_timeout_impl(_target, ctx):
    timeout = getattr(ctx.rule.attr, "timeout", None)
    return [_TestTimeoutInfo(seconds = _SECONDS.get(timeout, _SECONDS["moderate"]))]

_test_timeout = aspect(implementation = _test_timeout_impl)

def _name(label):
    return "//{}:{}".format(label.package, label.name)

def _path(workspace, file):
    """Where a runfile is in the bundle."""
    if file.short_path.startswith("../"):
        return "runfiles/" + file.short_path[len("../"):]
    return "runfiles/{}/{}".format(workspace, file.short_path)

def _test_line(target, path):
    env = dict(target[RunEnvironmentInfo].environment)
    gpus = env.pop("CONVEYOR_TEST_GPUS", None)
    if not gpus:
        fail("{} is no hardware test: make it with gpu_cc_test".format(target.label))
    return "\t".join([
        "test",
        _name(target.label),
        path,
        "gpus=" + gpus,
        "seconds={}".format(target[_TestTimeoutInfo].seconds),
    ] + ["{}={}".format(name, value) for name, value in sorted(env.items())])

def _hardware_bundle_impl(ctx):
    workspace = ctx.workspace_name
    lines = []
    runfiles = []
    links = []
    for target in ctx.attr.tests + ctx.attr.programs:
        info = target[DefaultInfo]
        path = _path(workspace, info.files_to_run.executable)
        if target in ctx.attr.tests:
            lines.append(_test_line(target, path))
        else:
            lines.append("\t".join(["program", _name(target.label), path]))
            links.append("{}\t{}".format(target.label.name, path))
        runfiles.append(info.default_runfiles.files)

    # Shared libraries, as NCCL's, are the GPU machine's own.
    files = {
        _path(workspace, file): file
        for file in depset(transitive = runfiles).to_list()
        if "/_solib_" not in "/" + file.path
    }
    files["run"] = ctx.file.runner
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest")
    ctx.actions.write(manifest, "\n".join(lines) + "\n")
    files["MANIFEST"] = manifest

    copies = ctx.actions.declare_file(ctx.label.name + ".copies")
    ctx.actions.write(copies, "".join(
        ["{}\t{}\n".format(path, file.path) for path, file in sorted(files.items())],
    ))
    symlinks = ctx.actions.declare_file(ctx.label.name + ".links")
    ctx.actions.write(symlinks, "".join([link + "\n" for link in links]))
    archive = ctx.actions.declare_file(ctx.attr.archive)
    ctx.actions.run(
        executable = ctx.executable._make_archive,
        arguments = [
            archive.path,
            archive.basename.removesuffix(".tar.gz"),
            copies.path,
            symlinks.path,
            ctx.info_file.path,
        ],
        inputs = [copies, symlinks, ctx.info_file] + files.values(),
        outputs = [archive],
        mnemonic = "HardwareBundle",
        progress_message = "Packing %{output}",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([archive]))]

hardware_bundle = rule(
    implementation = _hardware_bundle_impl,
    doc = "Hardware tests, programs and their runner, built for the cuda backend " +
          "whatever the command line says, in one archive.",
    attrs = {
        "archive": attr.string(
            doc = "The file's name; without .tar.gz, the folder in it.",
            mandatory = True,
        ),
        "programs": attr.label_list(
            doc = "Carried along, with a link at the top.",
            cfg = _hardware_transition,
        ),
        "runner": attr.label(
            allow_single_file = True,
            cfg = _hardware_transition,
            mandatory = True,
        ),
        "tests": attr.label_list(
            doc = "Made with gpu_cc_test.",
            aspects = [_test_timeout],
            cfg = _hardware_transition,
            providers = [RunEnvironmentInfo],
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
        "_make_archive": attr.label(
            allow_single_file = True,
            cfg = "exec",
            default = ":make_archive",
            executable = True,
        ),
    },
)
