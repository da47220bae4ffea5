"""``lethenet label``: name the neurons that tell most about all the others."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from .options import Folder, flag, value

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console
    from rich.text import Text

    from ..lifelong.labelling import Labelling, Question

SHADES = " .:-=+*#%@"
PROMPT = "Which class? (Enter: no answer, Ctrl-D: stop) "


def label(
    folder: Folder,
    questions: Annotated[
        int, value("INTEGER", "How many neurons to ask for at a time; chosen together.", min=1)
    ] = 10,
    answers: Annotated[
        Path | None, value("FILE.csv", "Take labels from lines neuron,label instead of asking.")
    ] = None,
    page: Annotated[bool, flag("--page", "Only write the page with the next questions.")] = False,
) -> None:
    """Name a few neurons of a finished run; their labels spread to all others.

    The run must have learned with links (`lethenet run --links 16`). Pictures of the neurons whose names
    would tell most are shown here and in labels.html of the run directory. Answers are kept in
    labels.csv and never asked for again (to correct one, change its line, or give another by --answers);
    the model that knows them is labelled.safetensors.
    """
    from rich.console import Console

    from ..lifelong.labelling import LABELS, Labelling
    from ..report.labels_page import write_labels_page
    from .terminal import counted

    console = Console(highlight=False, soft_wrap=True)
    session = Labelling(folder, answers)
    bought: list[tuple[int, float]] = []
    _say_accuracy(console, session, bought)
    going_on = answers is None and not page
    while True:
        asked = session.ask(questions)
        where = write_labels_page(session, asked, bought)
        if not asked:
            console.print("Nothing is left to learn by asking.", markup=False)
        if not asked or not going_on or not _ask(console, session, asked, bought):
            break
        console.print("Ctrl-D to stop here, or the next questions:", markup=False)
    if session.answers:
        where = write_labels_page(session, session.ask(questions), bought)
        console.print(
            f"{counted(session.n_labels, 'label')} in {folder / LABELS}, model: {session.save()}",
            markup=False,
        )
    console.print(f"Page: {where}", markup=False)


def _ask(
    console: Console, session: Labelling, asked: list[Question], bought: list[tuple[int, float]]
) -> bool:
    """Ask for a few neurons; False if no more answers come."""
    for number, question in enumerate(asked, 1):
        console.print(f"\n{number} of {len(asked)}: neuron {question.neuron}", markup=False)
        if question.picture is not None:
            console.print(drawn(question.picture, colour=console.color_system is not None))
        try:
            answer = console.input(PROMPT, markup=False)
        except (EOFError, KeyboardInterrupt):
            console.print()
            return False
        session.answer(question.neuron, answer)
        session.save()
        _say_accuracy(console, session, bought)
    return True


def _say_accuracy(console: Console, session: Labelling, bought: list[tuple[int, float]]) -> None:
    from .terminal import counted, percent

    accuracy = session.accuracy()
    if accuracy is None or session.data is None:
        return
    if not bought or bought[-1][0] != session.n_labels:
        bought.append((session.n_labels, accuracy))
    console.print(
        f"{counted(session.n_labels, 'label')}: {percent(accuracy)} of "
        f"{len(session.data.y_test)} test samples of {session.data.name}",
        markup=False,
    )


def drawn(picture: np.ndarray, *, colour: bool) -> Text:
    """A grey picture (0 to 1) for a terminal: two pixels a character in colour, else a letter each.

    >>> import numpy as np
    >>> print(drawn(np.array([[0.0, 1.0], [1.0, 0.5]]), colour=False))
      @@
    @@++
    """
    from rich.text import Text

    if not colour:
        rows = [[2 * SHADES[min(int(v * len(SHADES)), 9)] for v in row] for row in picture]
        return Text("\n".join(map("".join, rows)))
    text = Text()
    levels = [[min(max(round(255 * v), 0), 255) for v in row] for row in picture.tolist()]
    pairs = zip_longest(levels[::2], levels[1::2], fillvalue=[0] * picture.shape[1])
    for number, pair in enumerate(pairs):
        text.append("\n" * bool(number))
        for above, below in zip(*pair, strict=True):
            text.append("▀", f"rgb({above},{above},{above}) on rgb({below},{below},{below})")
    return text
