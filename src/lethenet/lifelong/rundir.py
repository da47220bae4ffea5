"""The run directory: what is written when, so that a kill at any moment leaves something to resume.

* A new directory is made under another name, with its ``run.json`` inside, and moved into place.
* ``run.json`` alone is enough to start from the beginning; with ``checkpoint.safetensors`` a run
  goes on from there. All else is written again from these.
* Each file is written under a temporary name and moved into place.
* ``run.json`` says "finished" before the checkpoint is removed, never the other way round. Nothing
  is removed from a run that says so, unless the user gives it up with ``force``.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .config import Config
from .first_layer import LayeredDataset
from .machine import describe_machine, fingerprint
from .reading import (
    ARRAYS,
    CHECKPOINT,
    FIGURES,
    FORMAT,
    MODEL,
    REPORT,
    RUN,
    TWIN,
    VERSION,
    read_run,
)
from .setting_checks import OWN

if TYPE_CHECKING:
    from ..model import Rule
    from .protocol import Experiment

NO_TIME = {"learning": 0.0, "evaluation": 0.0}
"""Seconds that a run has taken before it begins."""


def check_target(folder: Path, *, force: bool) -> None:
    """Refuse to start a run where one lies already, or among somebody else's files."""
    if not folder.exists() and not folder.is_symlink():
        return
    if not folder.is_dir():
        raise ValueError(f"{folder} is a file: a run needs a folder.")
    if all(_is_draft(entry) for entry in folder.iterdir()):
        return
    if not (folder / RUN).exists():
        raise ValueError(
            f"{folder} is not empty and is not a run directory: choose another folder."
        )
    status = read_run(folder)["status"]
    if force:
        return
    if status == "finished":
        raise ValueError(f"{folder} holds a finished run: choose another folder, or add --force.")
    raise ValueError(
        f"{folder} holds an unfinished run: go on with `lethenet resume {folder}`, "
        "or start anew with --force."
    )


@dataclass
class RunDirectory:
    """A folder with one run. ``header`` holds what does not change while it runs."""

    path: Path
    config: Config
    header: dict[str, Any]

    @classmethod
    def create(cls, path: Path, experiment: Experiment, *, force: bool = False) -> RunDirectory:
        """Make the directory of a new run. With ``force`` an old run in its place is given up."""
        data, config = experiment.data, experiment.config
        shape = data.sample_shape if isinstance(data, LayeredDataset) else data.image_shape
        if config.classes == data.classes:
            config = replace(config, classes=None)  # all of them: no need to name them
        header = {
            "command": config.command(path) if config.stream != OWN else None,
            "machine": describe_machine(),
            "started": _now(),
            "data": {
                "name": data.name,
                "n_features": data.n_features,
                "image_shape": list(shape) if shape else None,
                "class_names": list(data.class_names) if data.class_names else None,
                "n_train": len(data.y_train),
                "n_test": len(data.y_test),
                "sha256": fingerprint(data),
            },
        }
        directory = cls(path, experiment.config, header)
        check_target(path, force=force)
        if path.exists():
            with directory.locked():
                check_target(path, force=force)  # again: somebody may have come first
                # First the checkpoint: the old one must never go with the new run.json
                (path / CHECKPOINT).unlink(missing_ok=True)
                directory.write_run(experiment, "running", dict(NO_TIME))
            return directory
        draft = path.parent / f".{path.name}.{secrets.token_hex(8)}.part"
        try:
            draft.mkdir(parents=True)
        except OSError as error:
            why = f"Cannot make the folder {path}: {error.strerror}."
            raise OSError(error.errno, why) from error
        try:
            cls(draft, experiment.config, header).write_run(experiment, "running", dict(NO_TIME))
            draft.rename(path)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            raise ValueError(f"{path} was made by another process just now.") from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return directory

    @classmethod
    def open(cls, path: Path, rule: Rule | None = None) -> RunDirectory:
        """The directory of a run that was begun; ``rule`` if it has one of its own."""
        document = read_run(path)
        try:
            config = Config.from_json(document["config"], rule)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path / RUN} cannot be used: {error}") from error
        header = {name: document[name] for name in ("command", "machine", "started", "data")}
        return cls(path, config, header)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out. The lock goes with the process, even if that is killed."""
        try:
            import fcntl

            handle = os.open(self.path, os.O_RDONLY)
        except (ImportError, PermissionError):  # Windows: no such lock
            yield
            return
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(
                    f"{self.path} is in use: another process runs the experiment in it."
                ) from None
            except OSError:  # a file system without locks
                pass
            yield
        finally:
            os.close(handle)

    def write_run(
        self,
        experiment: Experiment,
        status: str,
        seconds: dict[str, float],
        summary: dict[str, Any] | None = None,
    ) -> None:
        """Write ``run.json``."""
        from .. import __version__
        from ..interchange import replacing

        document = {
            "format": FORMAT,
            "version": VERSION,
            "status": status,
            "lethenet": __version__,
            **self.header,
            "config": experiment.config.to_json(),
            "supervised": experiment.supervised,
            "finished": _now() if status == "finished" else None,
            "seconds": seconds,
            "simulated": {
                "learned": experiment.history.learned.simulated_per_sample(),
                "recognised": experiment.history.recognised.simulated_per_sample(),
            },
            "progress": {
                "samples_done": experiment.samples_done,
                "samples_total": experiment.samples_total,
                "tasks_done": experiment.tasks_done,
            },
            "tasks": [
                {
                    "name": task.name,
                    "classes": [experiment.data.name_of(c) for c in task.classes],
                    "samples": len(task),
                }
                for task in experiment.tasks
            ],
            "evaluations": experiment.history.evaluations,
            "summary": summary,
            "diagnosis": experiment.diagnosis() if status == "finished" else [],
        }
        text = json.dumps(document, indent=1, allow_nan=False)
        with replacing(self.path / RUN) as draft:
            draft.write_text(text + "\n", encoding="utf-8")

    def write_arrays(self, experiment: Experiment) -> None:
        """Write ``arrays.safetensors``."""
        from ..interchange import write_arrays

        arrays, own = experiment.arrays()
        metadata = {"format": "lethenet-arrays", "version": VERSION, **own}
        write_arrays(self.path / ARRAYS, arrays, metadata | {"evaluations": experiment.tasks_done})

    def restore(self, experiment: Experiment) -> dict[str, float]:
        """Put a new experiment where this run stood, and tidy up; the seconds it took so far."""
        if fingerprint(experiment.data) != self.header["data"].get("sha256"):
            raise ValueError(
                f"{self.config.dataset} is not what it was when {self.path} was begun: "
                "the run cannot go on with other data."
            )
        for entry in self.path.iterdir():
            if _is_draft(entry):
                _remove(entry)
        path = self.path / CHECKPOINT
        if not path.exists():
            if read_run(self.path)["status"] == "finished":
                raise ValueError(f"{self.path} holds a finished run.")
            # Nothing to go on from. What else is there may come from a run that was overwritten.
            for name in (ARRAYS, MODEL, REPORT, FIGURES, TWIN):
                _remove(self.path / name)
            return dict(NO_TIME)
        try:
            return experiment.read_checkpoint(path)
        except ValueError as error:
            raise ValueError(
                f"{error} Delete {path} to start this run from its beginning."
            ) from error


def _is_draft(entry: Path) -> bool:
    """Whether this is left over from a process that was killed while it wrote."""
    return entry.name.startswith(".") and entry.name.endswith(".part")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
