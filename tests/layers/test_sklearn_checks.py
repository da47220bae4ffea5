"""scikit-learn's own checks for every layer, to the letter."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from lethenet.layers import Edges, Features, OnOff, Patches


@parametrize_with_checks(
    [OnOff(), Edges(), Patches(n_neurons=4, infancy=20, patches_per_image=5), Features()]
)
def test_layer(estimator, check):
    check(estimator)
