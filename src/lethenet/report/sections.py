"""The parts of a run's report in words and tables."""

from __future__ import annotations

import shlex
from typing import Any

from ..lifelong.results import Results
from .html import Html, inside, table, tag
from .measures import MEASURES
from .wording import NONE, duration, joined, number, percent, plural, points, rate


def unfinished_note(results: Results) -> Html | None:
    """A warning on top of the report of a run that has not come to its end."""
    if results.finished:
        return None
    progress = results.record["progress"]
    done, total = progress.get("samples_done"), progress.get("samples_total")
    folder = shlex.quote(str(results.folder))
    state = (
        "was stopped before its end"
        if results.record["status"] == "interrupted"
        else "was still going on when this page was made, or was killed"
    )
    return tag(
        "p",
        tag("strong", "Unfinished run. "),
        f"It {state}: {number(done)} of {number(total)} samples presented, "
        f"{len(results.evaluations)} of {plural(len(results.task_names), 'task')} evaluated. "
        "Numbers are those of the last evaluation. Go on with ",
        tag("code", f"lethenet resume {folder}"),
        ".",
        class_="note",
        role="note",
    )


def in_words(results: Results) -> Html:
    """What was run, for somebody who does not know the program."""
    config, data = results.config, results.record["data"]
    shape = results.image_shape
    samples = (
        f"images of {' × '.join(map(str, shape))} pixels"
        if shape
        else f"samples of {number(data.get('n_features'))} features"
    )
    names = joined(results.task_names, 20)
    if config["order"] == "interleaved":
        order = "all classes mixed in random order"
    elif len(results.task_names) == 1:
        order = f"a single task ({names})"
    else:
        order = f"{plural(len(results.task_names), 'task')}, strictly one after the other: {names}"
    epochs = config["epochs"]
    times = "once" if epochs == 1 else f"{number(epochs)} times"
    first = (
        f"A single layer of {plural(config['neurons'], 'spiking neuron')} (a Controlled Forgetting "
        f"Network) learned {config['dataset']}, {samples}, without being told any label: {order}. "
        f"Each training sample was shown {times} within its task, "
        f"{number(results.record['progress'].get('samples_total'))} presentations in all. "
        "The network was not told when a task changed."
    )
    second = (
        "After each task, learning was frozen. Each neuron was labelled with the class it answered to "
        "most among the training samples met so far, and the layer was tested on the test samples of "
        "all classes met so far. Then learning went on; testing leaves no trace in the network."
    )
    less = [
        f"only the first {number(config[key])} {part} samples of each class were used"
        for key, part in (("train_per_class", "training"), ("test_per_class", "test"))
        if config.get(key) is not None
    ]
    third = f"For a quick run, {' and '.join(less)}." if less else None
    return inside(tag("p", first), tag("p", second), tag("p", third) if third else None)


def headline(results: Results) -> Html:
    """The numbers of the run, each with its definition beside it."""
    cards = []
    for measure in MEASURES:
        absent = measure.value(results) is None
        if absent and (results.finished or measure.key == "sequential_penalty"):
            continue
        cards.append(
            tag(
                "div",
                tag("dt", measure.label),
                tag("dd", measure.shown(results), class_="value"),
                tag("dd", measure.meaning(results), class_="what"),
                class_="first" if measure.key == "accuracy" else None,
            )
        )
    note = None if results.finished else tag("p", f"“{NONE}” is known when the run has finished.")
    return inside(tag("dl", cards, class_="headline"), note)


def per_task(results: Results) -> Html:
    """A row per task: when it was learned, what it cost, what is left of it."""
    rows = []
    before = 0
    for place, task in enumerate(results.record["tasks"]):
        done = place < len(results.evaluations)
        found: dict[str, Any] = results.evaluations[place] if done else {}
        learned = found["task_accuracy"][place] if done else None
        left = results.last["task_accuracy"][place] if done else None
        presented = found["samples_seen"] - before if done else None
        before = found.get("samples_seen", before)
        owned = (
            sum(results.last["neurons_per_class"].get(str(label), 0) for label in task["classes"])
            if done
            else None
        )
        change = left - learned if learned is not None and left is not None else None
        rows.append(
            [
                task["name"],
                number(presented if done else task.get("samples")),
                percent(found.get("test_accuracy")),
                percent(learned),
                percent(left),
                points(change).replace("\u00a0points", ""),
                number(_false_positives(results, task) if done else None),
                number(owned),
                rate(found["dopaminergic_spikes"] / presented if presented else None),
                " / ".join(
                    number(found.get(f"neurons_{fate}"))
                    for fate in ("new", "replaced", "preserved")
                ),
            ]
        )
    header = [
        "Task",
        "Samples presented",
        "All tasks so far",
        "This task, just learned",
        "This task, at the end",
        "Change in points",
        "False positives at the end",
        "Neurons at the end",
        "Dopaminergic spikes per sample",
        "Neurons new / replaced / preserved",
    ]
    caption = (
        f"Test accuracies with {results.votes}. “All tasks so far”: on all classes met up to then. "
        "False positives: test samples of other classes taken for this task's. New, replaced, preserved: "
        "neurons imprinted for the first time, imprinted over an earlier label, or left alone, "
        "during the task."
    )
    return table(caption, header, rows)


def _false_positives(results: Results, task: dict[str, Any]) -> int:
    return sum(results.last["false_positives"].get(str(label), 0) for label in task["classes"])


def reproduction(results: Results) -> Html:
    """How to get the same numbers again."""
    record, machine = results.record, results.record.get("machine") or {}
    seconds = record.get("seconds") or {}
    command = shlex.join(str(part) for part in record.get("command") or [])
    learning = seconds.get("learning")
    rate = results.samples_done / learning if learning else None
    rows = [
        ["lethenet", str(record.get("lethenet", NONE))],
        *[[key, str(machine[key])] for key in sorted(machine)],
        ["seed", str(results.config.get("seed", NONE))],
        ["started", str(record.get("started") or NONE)],
        ["finished", str(record.get("finished") or NONE)],
        ["time learning", duration(learning)],
        ["time evaluating", duration(seconds.get("evaluation"))],
        ["samples learned per second", number(rate)],
    ]
    install = f'pip install "lethenet=={record.get("lethenet", "")}"'
    return inside(
        tag("p", "The command that gives this run:"),
        tag("pre", tag("code", command or "(not recorded)"), tabindex="0"),
        tag(
            "p",
            "On the same machine, the same configuration and versions give the same spikes and numbers, "
            "however often the run is stopped and resumed. Install the version with ",
            tag("code", install),
            ".",
        ),
        table("Versions, machine and time", ["What", "Value"], rows, class_="words"),
    )


def parameters(results: Results) -> Html:
    """Everything that can be set, folded away."""
    rows = [[key, shown(value)] for key, value in flat(results.config).items()]
    return tag(
        "details",
        tag("summary", f"All {len(rows)} settings"),
        table("Configuration of the run", ["Setting", "Value"], rows, class_="words"),
    )


def flat(config: dict[str, Any]) -> dict[str, Any]:
    """A configuration with the model's parameters lifted to the top.

    Examples
    --------
    >>> flat({"seed": 1, "parameters": {"threshold": 13.5}})
    {'seed': 1, 'threshold': 13.5}
    """
    own = {key: value for key, value in config.items() if key != "parameters"}
    return {**own, **config.get("parameters", {})}


def shown(value: Any) -> str:
    """A setting as text.

    Examples
    --------
    >>> shown(None), shown([0, 1]), shown(13.5), shown(True)
    ('–', '0, 1', '13.5', 'yes')
    """
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
