"""What the hardware bundle holds. check_bundle says when a test is missing."""

# Every test with the tag gpu, which gpu_cc_test gives: one line a test.
HARDWARE_TESTS = [
    "//benchmarks:copy_benchmark_test_gpu",
    "//benchmarks:peer_test_gpu",
    "//testing:devices_test_gpu",
    "//testing:stream_gate_test_gpu",
    "//testing/conformance:allocation_test_gpu",
    "//testing/conformance:batch_copy_test_gpu",
    "//testing/conformance:capture_test_gpu",
    "//testing/conformance:copy_arguments_test_gpu",
    "//testing/conformance:copy_synchrony_test_gpu",
    "//testing/conformance:device_queries_test_gpu",
    "//testing/conformance:host_functions_test_gpu",
    "//testing/conformance:host_registration_test_gpu",
    "//testing/conformance:last_error_test_gpu",
    "//testing/conformance:legacy_stream_test_gpu",
    "//testing/conformance:managed_test_gpu",
    "//testing/conformance:not_simulated_gpu_test",
    "//testing/conformance:pointer_attributes_test_gpu",
    "//testing/conformance:pool_test_gpu",
    "//testing/conformance:streams_and_events_test_gpu",
    "//testing/conformance:two_devices_test_gpu",
    "//testing/hardware:device_gpu_test",
    "//third_party/cuda:cuda_library_test_gpu",
    "//third_party/cuda:host_threads_test_gpu",
    "//third_party/nccl:nccl_gpu_test",
    "//transfer:buffers_test_gpu",
    "//transfer:copy_2d_test_gpu",
    "//transfer:copy_large_gpu_test",
    "//transfer:copy_test_gpu",
    "//transfer:cuda_status_test_gpu",
    "//transfer:device_test_gpu",
    "//transfer:event_test_gpu",
    "//transfer:for_each_large_gpu_test",
    "//transfer:for_each_test_gpu",
    "//transfer:memory_kind_test_gpu",
    "//transfer:pinned_pool_test_gpu",
    "//transfer:stream_test_gpu",
    "//transfer:timer_test_gpu",
    "//transfer:transfer_stats_test_gpu",
    "//transfer:two_device_test_gpu",
]

# Benchmarks and tools, to be run by hand: each has a link at the top.
HARDWARE_PROGRAMS = [
    "//benchmarks:conveyor",
]
