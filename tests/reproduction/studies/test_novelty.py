"""The study of novelty: what it tries, and the page it writes."""

import pytest
from lethenet_reproduction.studies import novelty

from lethenet.data import load


def test_new_digits_are_told_from_known_ones():
    trial = novelty.Trial("pixels", 5, novelty.NETWORK)
    setting = {"threshold": 15.5}
    for held_out in (False, True):
        found = novelty.measure(load("digits"), trial, setting, seed=0, held_out=held_out)
        assert found["auroc"] > 0.9


@pytest.mark.parametrize("learner", [novelty.FOREST, novelty.SVM])
def test_other_detectors_have_settings(learner):
    trial = novelty.Trial("pixels", 5, learner)
    made = [novelty.learner(learner, setting, 0) for setting in novelty.settings(trial)]
    assert len(made) > 1
    assert all(hasattr(one, "score_samples") for one in made)


def test_the_page_shows_test_samples_and_choices_apart():
    def record(seed, auroc):
        trial = novelty.Trial("edges", 9, novelty.NETWORK)
        config = {**trial._asdict(), "setting": {"threshold": 14.5}, "seed": seed}
        return {"config": config, "results": {"auroc": auroc}}

    found = [record(novelty.CHOICE, 0.5), record(0, 0.8), record(1, 0.9)]
    assert (
        "| edges | 0–8 known, 9 new | **0.850 ± 0.071, seeds: 2** | 0.8 | – | – |"
        in novelty.table(found)
    )
    assert "| edges | 9 | lethenet | threshold 14.5 | 0.5000 |" in novelty.choice_table(found)
