"""cuda_library: sources with kernels, by nvcc or, simulated, by the host compiler."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain", "use_cpp_toolchain")
load("@conveyor_local_cuda//:defs.bzl", "NVCC")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

# nvcc's spelling of what the C++ toolchain calls a compilation mode.
_MODE_FLAGS = {
    "dbg": ["-O0", "-g"],
    "fastbuild": ["-O1"],
    "opt": ["-O3", "-DNDEBUG", "-lineinfo"],
}

def _architecture_flags(architectures):
    flags = [
        "-gencode=arch=compute_{0},code=sm_{0}".format(architecture)
        for architecture in architectures
    ]
    flags.append("-gencode=arch=compute_{0},code=compute_{0}".format(architectures[-1]))
    return flags

def _add_host_flags(args, flags):
    """Adds the user's --copt and --cxxopt: nvcc's own, else for the host compiler."""
    for flag in flags:
        if flag.startswith(("-std=", "-D", "-U", "-I")):
            args.add(flag)
        else:
            # nvcc splits the value at commas.
            args.add("-Xcompiler", flag.replace(",", "\\,"))

def _nvcc_library_impl(ctx):
    cc_toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )

    # Where "folder/file.h" is found, here and in a project that depends on us.
    root = ctx.label.workspace_root or "."
    compilation = cc_common.merge_compilation_contexts(
        compilation_contexts = [cc_common.create_compilation_context(
            headers = depset(ctx.files.hdrs),
            quote_includes = depset([root, ctx.bin_dir.path + "/" + root]),
        )] + [dep[CcInfo].compilation_context for dep in ctx.attr.deps + [ctx.attr._toolkit]],
    )
    objects = []
    for src in ctx.files.srcs:
        object = ctx.actions.declare_file("_objs/{}/{}.o".format(ctx.label.name, src.basename))
        args = ctx.actions.args()
        args.add_all(["-c", "-x", "cu", "-ccbin", cc_toolchain.compiler_executable, "-Xcompiler", "-fPIC"])
        args.add_all(_MODE_FLAGS[ctx.var["COMPILATION_MODE"]])
        args.add_all(_architecture_flags(ctx.attr._architectures[BuildSettingInfo].value))
        _add_host_flags(args, ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts)
        args.add_all(ctx.attr.copts)
        args.add_all(compilation.defines, before_each = "-D")
        args.add_all(compilation.quote_includes, before_each = "-I")
        args.add_all(compilation.includes, before_each = "-I")
        args.add_all(compilation.system_includes, before_each = "-isystem")
        args.add_all(compilation.external_includes, before_each = "-isystem")
        args.add(src)
        args.add("-o", object)
        ctx.actions.run(
            executable = NVCC,
            arguments = [args],
            inputs = depset(
                ctx.files.srcs + ctx.files.hdrs,
                transitive = [compilation.headers, cc_toolchain.all_files],
            ),
            outputs = [object],
            mnemonic = "CudaCompile",
            progress_message = "Compiling {} with nvcc".format(src.short_path),
            use_default_shell_env = True,
        )
        objects.append(object)
    linking, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        compilation_outputs = cc_common.create_compilation_outputs(
            objects = depset(objects),
            pic_objects = depset(objects),
        ),
        disallow_dynamic_library = True,
        linking_contexts = [dep[CcInfo].linking_context for dep in ctx.attr.deps],
    )
    return [
        DefaultInfo(files = depset(objects)),
        CcInfo(compilation_context = compilation, linking_context = linking),
    ]

_nvcc_library = rule(
    implementation = _nvcc_library_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cu.cc"]),
        "hdrs": attr.label_list(allow_files = [".h"]),
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "_architectures": attr.label(default = "//third_party/cuda:architectures"),
        # Also what says, on a machine without a toolkit, what to do.
        "_toolkit": attr.label(default = "@conveyor_local_cuda//:headers", providers = [CcInfo]),
    },
    fragments = ["cpp"],
    toolchains = use_cpp_toolchain(),
    provides = [CcInfo],
)

def cuda_library(name, srcs = [], hdrs = [], deps = [], copts = [], hardware_only = False, visibility = None, **kwargs):
    """A library whose sources hold kernels.

    Its objects come from nvcc, or on the simulated backend from the host
    compiler, where ForEach runs the functor as a loop. Sources include no
    Abseil: nvcc does not parse all of it.

    Args:
      name: the library.
      srcs: files named *.cu.cc.
      hdrs: their headers, without device code.
      deps: libraries, third_party/cuda:launch among them.
      copts: nvcc's or the host compiler's own options, the same for both.
      hardware_only: the sources need nvcc (barriers, shuffles, PTX); the
        library is incompatible with the simulated backend.
      visibility: as everywhere.
      **kwargs: testonly and the like.
    """
    incompatible = select({
        Label("//third_party/cuda:is_simulated"): [Label("@platforms//:incompatible")],
        "//conditions:default": [],
    })
    _nvcc_library(
        name = name + "_nvcc",
        srcs = srcs,
        hdrs = hdrs,
        copts = copts,
        tags = ["manual"],
        target_compatible_with = incompatible,
        visibility = ["//visibility:private"],
        deps = deps,
        **kwargs
    )
    if hardware_only:
        native.alias(
            name = name,
            actual = name + "_nvcc",
            target_compatible_with = incompatible,
            visibility = visibility,
            **kwargs
        )
        return
    cc_library(
        name = name + "_host",
        srcs = srcs,
        hdrs = hdrs,
        copts = copts,
        tags = ["manual"],
        visibility = ["//visibility:private"],
        deps = deps,
        **kwargs
    )
    native.alias(
        name = name,
        actual = select({
            Label("//third_party/cuda:is_simulated"): name + "_host",
            "//conditions:default": name + "_nvcc",
        }),
        visibility = visibility,
        **kwargs
    )
