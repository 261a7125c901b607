"""A target that fails, with a remedy, only when something really builds it."""

def _missing_toolkit_impl(ctx):
    fail(ctx.attr.message)

missing_toolkit = rule(
    implementation = _missing_toolkit_impl,
    doc = "Stands in for a toolkit that was not found.",
    attrs = {"message": attr.string(mandatory = True)},
)
