"""The plugins of the test run."""

pytest_plugins = ("tests.documented.plugin",)
