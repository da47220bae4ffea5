"""Every public object says what it is for, and shows it in an example that the tests run."""

import doctest
import inspect
from functools import cached_property
from importlib import import_module

import pytest

ROOMS = (
    "lethenet",
    "lethenet.model",
    "lethenet.estimators",
    "lethenet.data",
    "lethenet.interchange",
    "lethenet.theory",
    "lethenet.baselines",
    "lethenet.lifelong",
    "lethenet.sweeps",
    "lethenet.plot",
    "lethenet.report",
    "lethenet.report.figures",
)


def public_objects():
    """Classes and functions of all rooms by their full names; constants need no docstring."""
    for room in map(import_module, ROOMS):
        for name in room.__all__:
            found = getattr(room, name)
            if inspect.isclass(found) or inspect.isfunction(found):
                yield f"{room.__name__}.{name}", found


def public_members(cls):
    """Methods and properties that lethenet wrote, inherited ones included."""
    for owner in cls.__mro__:
        if not owner.__module__.startswith("lethenet."):
            continue
        for name, member in vars(owner).items():
            if isinstance(member, property | cached_property):
                function = getattr(member, "fget", None) or member.func
            else:
                function = getattr(member, "__func__", member)  # of a class or static method
            ours = getattr(function, "__module__", "").startswith("lethenet.")
            if inspect.isfunction(function) and ours and not name.startswith("_"):
                yield name, function


def docstrings_that_run(modules):
    """All docstrings in which doctest finds examples, as pytest runs it."""
    finder = doctest.DocTestFinder()
    return {
        test.docstring
        for module in modules
        for test in finder.find(import_module(module))
        if test.examples
    }


def test_every_public_object_has_a_docstring_with_a_tested_example():
    objects = dict(public_objects())
    tested = docstrings_that_run({*ROOMS, *(found.__module__ for found in objects.values())})
    missing = set()
    for name, found in objects.items():
        text = found.__doc__ or ""
        # An error has nothing to show, but must say when it comes
        error = inspect.isclass(found) and issubclass(found, BaseException)
        if not text.strip():
            missing.add(f"{name}: docstring")
        elif ">>>" not in text and not error:
            missing.add(f"{name}: example (>>>)")
        elif ">>>" in text and text not in tested:
            missing.add(f"{name}: doctest does not find its example")
        if inspect.isclass(found):
            missing |= {
                f"{name}.{member}: docstring"
                for member, function in public_members(found)
                if not (function.__doc__ or "").strip()
            }
    if missing:
        pytest.fail("missing:\n  " + "\n  ".join(sorted(missing)), pytrace=False)
