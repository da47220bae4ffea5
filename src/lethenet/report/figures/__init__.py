"""One function per figure: results in, a matplotlib Figure out. No pyplot, no global state."""

from .accuracy import accuracy_over_tasks, accuracy_per_class, accuracy_per_task, false_positives
from .activity import dopaminergic_activity, neurons_per_class
from .compared import compared_accuracy_over_tasks, compared_accuracy_per_class
from .first_layer import first_layer
from .links_map import links_map
from .matrices import accuracy_matrix, confusion_matrix
from .weight_grid import weight_grid

__all__ = [
    "accuracy_matrix",
    "accuracy_over_tasks",
    "accuracy_per_class",
    "accuracy_per_task",
    "compared_accuracy_over_tasks",
    "compared_accuracy_per_class",
    "confusion_matrix",
    "dopaminergic_activity",
    "false_positives",
    "first_layer",
    "links_map",
    "neurons_per_class",
    "weight_grid",
]

# doctest passes by functions that a decorator has wrapped, unless they are named here
__test__ = {name: globals()[name] for name in __all__}
