"""gpu_cc_test: one test, on the simulated machine and on hardware."""

load("@rules_cc//cc:cc_test.bzl", "cc_test")

_SIMULATED = Label("//third_party/cuda:is_simulated")

# Carries hardware tests to machines that have no Bazel.
_BUNDLE = str(Label("//testing/hardware:__pkg__"))

# A label, not a string: the caller may be a project that knows no @platforms.
_INCOMPATIBLE = Label("@platforms//:incompatible")

def gpu_cc_test(name, gpus, backends = ["simulated", "cuda"], tags = [], env = {}, visibility = None, **kwargs):
    """A test of code that uses GPUs.

    With both backends it makes `name` for the simulated machine and
    `name + "_gpu"` for hardware. The one that does not fit the backend in
    force is incompatible: Bazel reports it as skipped, never as passed.

    Args:
      name: x_test; x_gpu_test if for hardware only; x_sim_test if for the
        simulated machine only.
      gpus: how many devices it needs. On hardware it sees just so many.
      backends: where it runs.
      tags: added to the tags that hardware tests get.
      env: added to the environment.
      visibility: added to that for the hardware bundle.
      **kwargs: as for cc_test.
    """
    env = dict(env, CONVEYOR_TEST_GPUS = str(gpus))
    if "simulated" in backends:
        cc_test(
            name = name,
            # Work that lacks an order fails the test that enqueues it.
            env = dict({"CONVEYOR_SIM_HAZARDS": "fail"}, **env),
            # A fastbuild's shared libraries break the static CUDA runtime.
            linkstatic = True,
            tags = tags,
            visibility = visibility,
            target_compatible_with = select({
                _SIMULATED: [],
                "//conditions:default": [_INCOMPATIBLE],
            }),
            **kwargs
        )
    if "cuda" in backends:
        cc_test(
            name = name + "_gpu" if "simulated" in backends else name,
            env = env,
            linkstatic = True,
            tags = tags + ["gpu", "resources:gpu:%d" % gpus],
            visibility = (visibility or []) + [_BUNDLE],
            target_compatible_with = select({
                _SIMULATED: [_INCOMPATIBLE],
                "//conditions:default": [],
            }),
            **kwargs
        )
