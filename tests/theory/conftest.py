"""What the tests of the theory share."""

import pytest


@pytest.fixture(scope="session")
def simulation():
    """The event simulation of the reproduction, a package of its own that need not be installed."""
    return pytest.importorskip("lethenet_reproduction.studies.simulation")
