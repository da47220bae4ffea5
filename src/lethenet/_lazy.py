"""Classes that are imported when they are used, not when they are named.

scikit-learn alone takes more than a second to import. ``from lethenet import …`` should not.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _load(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


class LazyClass:
    """Stands for a class until it is called, subclassed, inspected or used in ``isinstance``.

    Instances are of the real class: pickling, cloning and ``type()`` know nothing of this one.

    Examples
    --------
    >>> Fraction = LazyClass("fractions", "Fraction")
    >>> Fraction(1, 2) + 1, isinstance(Fraction(1), Fraction)
    (Fraction(3, 2), True)
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def _load(self) -> Any:
        return _load(self._module, self._name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._load()(*args, **kwargs)

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._load(), attribute)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self._load())

    def __subclasscheck__(self, subclass: Any) -> bool:
        return issubclass(subclass, self._load())

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self._load(),)

    def __eq__(self, other: object) -> bool:
        return other is self or other is self._load()

    def __hash__(self) -> int:
        return hash(self._load())

    def __reduce__(self) -> Any:
        return _load, (self._module, self._name)

    def __or__(self, other: Any) -> Any:  # in annotations: ``Model | None``
        return self._load() | other

    def __ror__(self, other: Any) -> Any:
        return other | self._load()

    def __dir__(self) -> list[str]:  # what a prompt offers to complete
        return dir(self._load())

    def __repr__(self) -> str:
        return f"<class '{self._module}.{self._name}'>"

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._load().__doc__  # type: ignore[no-any-return]

    @property
    def __signature__(self) -> Any:
        from inspect import signature

        return signature(self._load())
