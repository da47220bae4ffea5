"""scikit-learn's own checks, to the letter."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from lethenet.estimators import (
    ControlledForgettingClassifier,
    ControlledForgettingNetwork,
    NoveltyDetector,
)


@parametrize_with_checks(
    [
        ControlledForgettingNetwork(n_neurons=20, random_state=0),
        ControlledForgettingClassifier(n_neurons=20, random_state=0),
        NoveltyDetector(n_neurons=20, random_state=0),
    ]
)
def test_estimator(estimator, check):
    check(estimator)
