"""The theory study in small: simulation lies around theory, and the figure can be drawn."""

import json

import numpy as np
import pytest
from lethenet_reproduction.figures import draw
from lethenet_reproduction.studies import theory
from lethenet_reproduction.texts import markdown_page

from lethenet.data import load


def test_simulation_lies_around_theory(monkeypatch, tmp_path):
    monkeypatch.setattr(theory, "FIRING_DEGREES", (0, 30))
    monkeypatch.setattr(theory, "THRESHOLDS", (15.0, 16.0))
    monkeypatch.setattr(theory, "TAUS", (4.0, 16.0))
    monkeypatch.setattr(theory, "SAMPLES", 3)
    X = load("digits").X_train[:101].astype(float)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    data = theory.study(rows[0], rows[np.argmin(rows @ rows[0])], runs=400)
    for record in data["moments"]:
        for name in ("mean", "variance"):
            off = np.subtract(record[f"simulated_{name}"], record[name])
            # 9 moments and 3 angles: 4 standard errors are exceeded once in 600 studies
            assert (np.abs(off) < 4 * np.array(record[f"{name}_error"])).all()
    for record in data["distributions"]:
        assert len(record["p_values"]) == 3
        assert record["p_value"] > 1e-3
        # a histogram's area is 1, and so is the density's
        assert np.dot(record["simulated"], np.diff(record["edges"])) == pytest.approx(1.0, abs=1e-4)
        assert np.trapezoid(record["density"], record["v"]) == pytest.approx(1.0, abs=0.02)
    for record in data["firing"]:
        standard = np.sqrt(np.maximum(np.array(record["probability"]), 1e-3) / 400)
        assert (
            np.abs(np.subtract(record["simulated"], record["probability"])) < 4 * standard
        ).all()
    ratio = data["variation"]["theory"][0] / data["variation"]["theory"][1]
    assert abs(ratio - 2) < 1e-9, "four times τ, half the relative noise"

    (tmp_path / "theory.json").write_text(json.dumps(data))
    draw("theory", tmp_path)
    assert (tmp_path / "theory.png").stat().st_size > 10_000
    first = data["distributions"][0]
    assert f"of 3 | {first['distance']:.4f} | {first['p_value']:.2f} |" in markdown_page(
        "theory.md", **theory.tables(data)
    )
