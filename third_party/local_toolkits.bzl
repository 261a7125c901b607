"""Finds the CUDA toolkit and NCCL that this machine has.

@conveyor_local_cuda and @conveyor_local_nccl always load. Where nothing was
found, building one of their targets fails and says what to set.
"""

# Searched in this order after the environment variables.
_CUDA_HOMES = [
    "/usr/local/cuda",
    "/opt/cuda",
]

_OLDEST_CUDART = 12000

_MISSING_BUILD = """
load("{missing_bzl}", "missing_toolkit")

package(default_visibility = ["//visibility:public"])

[missing_toolkit(
    name = name,
    message = {message},
) for name in {names}]
"""

_CUDA_BUILD = """
load("@rules_cc//cc:cc_import.bzl", "cc_import")
load("@rules_cc//cc:cc_library.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "headers",
    # NCCL may lie beside CUDA, but is a dependency of its own.
    hdrs = glob(
        [
            "include/*.h",
            "include/*.hpp",
            "include/crt/**",
            # nv/target, which cuda_fp16.h includes, moved in CUDA 13.
            "include/nv/**",
            "include/cccl/nv/**",
        ],
        allow_empty = True,
        exclude = ["include/nccl*"],
    ),
    includes = [
        "include",
        "include/cccl",
    ],
)

cc_import(
    name = "cudart_static_archive",
    static_library = "lib/libcudart_static.a",
)

cc_library(
    name = "cudart",
    linkopts = ["-ldl", "-lpthread", "-lrt"],
    deps = [":cudart_static_archive", ":headers"],
)
"""

_NCCL_BUILD = """
load("@rules_cc//cc:cc_import.bzl", "cc_import")
load("@rules_cc//cc:cc_library.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_import(
    name = "libnccl",
    shared_library = "lib/libnccl.so.2",
)

cc_library(
    name = "nccl",
    hdrs = ["include/nccl.h"],
    includes = ["include"],
    deps = [
        ":libnccl",
        "@conveyor_local_cuda//:headers",
    ],
)
"""

def _first_existing(rctx, candidates):
    for candidate in candidates:
        path = rctx.path(candidate)
        if path.exists:
            return path
    return None

def _missing(rctx, names, message):
    rctx.file("BUILD", _MISSING_BUILD.format(
        missing_bzl = str(Label("//third_party:missing_toolkit.bzl")),
        message = repr(message),
        names = repr(names),
    ))

def _versioned_homes(rctx):
    """/usr/local/cuda-13.0 and its like, newest first."""
    parent = rctx.path("/usr/local")
    if not parent.exists:
        return []
    homes = [p for p in parent.readdir() if p.basename.startswith("cuda-")]
    return [str(p) for p in sorted(homes, key = lambda p: p.basename, reverse = True)]

def _cudart_version(rctx, header):
    """12080 for CUDA 12.8; 0 if the header does not say."""
    for line in rctx.read(header).split("\n"):
        words = [word for word in line.split(" ") if word]
        if words[:2] == ["#define", "CUDART_VERSION"] and words[2].isdigit():
            return int(words[2])
    return 0

def _find_cuda(rctx, home):
    """The parts of the toolkit in a folder, or a string that says what it lacks."""
    nvcc = rctx.path(home + "/bin/nvcc")
    header = _first_existing(rctx, [
        home + "/include/cuda_runtime_api.h",
        home + "/targets/x86_64-linux/include/cuda_runtime_api.h",
        home + "/targets/sbsa-linux/include/cuda_runtime_api.h",
    ])
    runtime = _first_existing(rctx, [
        home + "/lib64/libcudart_static.a",
        home + "/lib/libcudart_static.a",
        home + "/targets/x86_64-linux/lib/libcudart_static.a",
        home + "/targets/sbsa-linux/lib/libcudart_static.a",
    ])
    if not nvcc.exists:
        return home + " (no bin/nvcc)"
    if not header:
        return home + " (no include/cuda_runtime_api.h)"
    if not runtime:
        return home + " (no libcudart_static.a)"
    version = _cudart_version(rctx, header)
    if version < _OLDEST_CUDART:
        return "{} (version {}, too old)".format(home, version)
    return struct(include = header.dirname, runtime = runtime, nvcc = nvcc)

def _local_cuda_impl(rctx):
    # A variable that is set is the user's word: when it names no toolkit,
    # taking another one silently would build against the wrong version.
    homes = []
    for variable in ["CUDA_PATH", "CUDA_HOME"]:
        if rctx.os.environ.get(variable):
            homes = [rctx.os.environ[variable]]
            break
    if not homes:
        homes = _CUDA_HOMES + _versioned_homes(rctx)
        nvcc_on_path = rctx.which("nvcc")
        if nvcc_on_path:
            homes.append(str(nvcc_on_path.realpath.dirname.dirname))
    lacks = []
    for home in homes:
        found = _find_cuda(rctx, home)
        if type(found) != "string":
            rctx.symlink(found.include, "include")
            rctx.symlink(found.runtime, "lib/libcudart_static.a")
            rctx.file("BUILD", _CUDA_BUILD)
            rctx.file("defs.bzl", "NVCC = {}\n".format(repr(str(found.nvcc))))
            return
        lacks.append(found)
    rctx.file("defs.bzl", "NVCC = None\n")
    _missing(
        rctx,
        ["headers", "cudart"],
        ("no CUDA 12 or 13 toolkit in {}. Set CUDA_PATH to one, or build for the simulated machine with " +
         "--@conveyor//:backend=simulated.").format(", ".join(lacks)),
    )

local_cuda = repository_rule(
    implementation = _local_cuda_impl,
    doc = "The CUDA toolkit under CUDA_PATH or CUDA_HOME, or in the usual places.",
    environ = ["CUDA_HOME", "CUDA_PATH", "PATH"],
    configure = True,
    local = True,
)

def _local_nccl_impl(rctx):
    if rctx.os.environ.get("NCCL_PATH"):
        homes = [rctx.os.environ["NCCL_PATH"]]
    else:
        homes = [
            rctx.os.environ[variable]
            for variable in ["CUDA_PATH", "CUDA_HOME"]
            if rctx.os.environ.get(variable)
        ] + ["/usr", "/usr/local"] + _CUDA_HOMES
    for home in homes:
        header = rctx.path(home + "/include/nccl.h")
        library = _first_existing(rctx, [
            home + "/lib/libnccl.so.2",
            home + "/lib64/libnccl.so.2",
            home + "/lib/x86_64-linux-gnu/libnccl.so.2",
            home + "/lib/aarch64-linux-gnu/libnccl.so.2",
        ])
        if header.exists and library:
            rctx.symlink(header, "include/nccl.h")
            rctx.symlink(library, "lib/libnccl.so.2")
            rctx.file("BUILD", _NCCL_BUILD)
            return
    _missing(
        rctx,
        ["nccl"],
        ("no NCCL (include/nccl.h and libnccl.so.2) under any of {}. Set NCCL_PATH to where NCCL is, " +
         "or build for the simulated machine with --@conveyor//:backend=simulated.").format(", ".join(homes)),
    )

local_nccl = repository_rule(
    implementation = _local_nccl_impl,
    doc = "NCCL under NCCL_PATH, beside the CUDA toolkit, or in the usual places.",
    environ = ["CUDA_HOME", "CUDA_PATH", "NCCL_PATH"],
    configure = True,
    local = True,
)

def _local_toolkits_impl(_mctx):
    local_cuda(name = "conveyor_local_cuda")
    local_nccl(name = "conveyor_local_nccl")

local_toolkits = module_extension(implementation = _local_toolkits_impl)
