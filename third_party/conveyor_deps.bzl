"""What a project without Bzlmod loads from its WORKSPACE to use Conveyor."""

load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
load("@bazel_tools//tools/build_defs/repo:utils.bzl", "maybe")
load(":local_toolkits.bzl", "local_cuda", "local_nccl")

def _github(name, path, version, file, strip_prefix):
    maybe(
        http_archive,
        name = name,
        strip_prefix = strip_prefix,
        urls = ["https://github.com/{}/{}".format(path, file.format(v = version))],
    )

def conveyor_deps():
    """Declares what Conveyor needs; a repository the project has already wins."""
    _github("platforms", "bazelbuild/platforms", "1.1.0", "releases/download/{v}/platforms-{v}.tar.gz", None)
    _github("bazel_skylib", "bazelbuild/bazel-skylib", "1.9.0", "releases/download/{v}/bazel-skylib-{v}.tar.gz", None)

    # From 0.2 on a WORKSPACE would have to load a second macro, of rules_cc.
    _github("rules_cc", "bazelbuild/rules_cc", "0.0.17", "releases/download/{v}/rules_cc-{v}.tar.gz", "rules_cc-0.0.17")
    _github("abseil-cpp", "abseil/abseil-cpp", "20260526.0", "releases/download/{v}/abseil-cpp-{v}.tar.gz", "abseil-cpp-20260526.0")
    _github("googletest", "google/googletest", "1.18.0", "releases/download/v{v}/googletest-{v}.tar.gz", "googletest-1.18.0")
    _github("google_benchmark", "google/benchmark", "1.9.1", "archive/refs/tags/v{v}.tar.gz", "benchmark-1.9.1")
    maybe(local_cuda, name = "conveyor_local_cuda")
    maybe(local_nccl, name = "conveyor_local_nccl")
