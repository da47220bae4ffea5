"""Settings for all tests."""

import os

from hypothesis import settings

# Kernels compile in the first example; and CI should not depend on luck.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
