import shutil

import pytest
from lethenet_reproduction.studies import bits

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def test_every_way_to_keep_weights_has_a_place_in_the_table():
    planned = {way for _, way, _, _ in bits.jobs()}
    assert planned == set(bits.WAYS)
    assert len({way.name for way in bits.WAYS}) == len(bits.WAYS)


def test_eight_bits_learn_the_built_in_digits():
    found = bits.compute("pixels", bits.EIGHT, 60, 0, dataset="digits")
    assert found["test_accuracy_histogram"] > 0.25  # the threshold is that of MNIST
    assert found["imprints"] > 0


def test_the_table_says_what_is_lost():
    record = {"inputs": "pixels", "neurons": 100, "seed": 0, "afterwards": False}
    found = [
        {
            "config": {**record, "bits": n, "rounding": rounding},
            "results": {"test_accuracy_histogram": accuracy},
        }
        for n, rounding, accuracy in ((32, "none", 0.9), (8, "stochastic", 0.85))
    ]
    text = bits.table(found)
    assert "| 8 bits, stochastic | 85.00 (−5.00), seeds: 1 |" in text
    assert "| 2 bits, shadow | – |" in text
