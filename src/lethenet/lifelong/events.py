"""What a running experiment tells whoever listens: plain dictionaries that JSON can hold.

Every event has ``"event"``, its kind, and ``"run"``, ``"main"`` or ``"twin"``:

=============== ================================================================================
``started``     ``folder``, ``config``, ``tasks``, ``samples_total``,
                ``samples_done`` (not 0 after a resume)
``learning``    ``task``, ``task_number``, ``tasks``, ``epoch``, ``epochs``, ``task_samples_done``,
                ``task_samples``, ``samples_done``, ``samples_total``
``evaluating``  ``task``, ``done``, ``total`` (samples recognised)
``task``        the evaluation after a task, as in ``run.json``
``checkpoint``  ``samples_done``
``interrupted`` ``folder``, ``samples_done``, ``samples_total``
``finished``    ``folder``, ``summary``
=============== ================================================================================

``started``, ``learning`` and ``evaluating`` also say how much of the work is done:
``presentations_done`` of ``presentations_total`` samples learned or recognised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Event = dict[str, Any]
Listener = Callable[[Event], None]
