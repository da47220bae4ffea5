"""scikit-learn's own checks for every baseline, to the letter."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from lethenet.baselines import (
    FuzzyART,
    MiniBatchStream,
    NearestClassMean,
    OnlineKMeans,
    SelfOrganisingMap,
    SphericalKMeans,
    StreamingLDA,
)


@parametrize_with_checks(
    [
        FuzzyART(),
        MiniBatchStream(),
        NearestClassMean(),
        OnlineKMeans(),
        SelfOrganisingMap(),
        SphericalKMeans(),
        StreamingLDA(),
    ]
)
def test_baseline(estimator, check):
    check(estimator)
