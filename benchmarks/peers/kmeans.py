"""Time MiniBatchKMeans.partial_fit of scikit-learn with as many centres as we have neurons.

Not a spiking network: the same task (unsupervised prototypes from a stream, one pass) by the
plainest means, to show what simulating spikes costs on top. Centres start as copies of samples, as
in the other scripts, so the expensive k-means++ start is not counted; the first call, which sets
them up, is not timed either. Rows are L2-normalised float32, as the network sees them.

Samples are fed in mini-batches of scikit-learn's default size, 1024 (the last one may be shorter).
That is how the method is meant to be used, and its best case: one matrix product per batch. A
network that learns for life takes samples one by one; what that costs here is in
``details.seconds_per_sample_one_by_one``.
"""

from peer_common import Task, json_only, read_task, report, timed, unit_rows

import sklearn  # isort: skip  (after peer_common, which sets the thread counts)
from sklearn.cluster import MiniBatchKMeans
from threadpoolctl import threadpool_limits

BATCH = 1024
ONE_BY_ONE = 50


def started(task: Task) -> MiniBatchKMeans:
    """An estimator with its centres in place (its first call needs at least N samples)."""
    prototypes = task.prototypes()
    model = MiniBatchKMeans(
        n_clusters=task.neurons, init=prototypes, n_init=1, batch_size=BATCH, random_state=1
    )
    return model.partial_fit(prototypes)


def main() -> None:
    task = read_task("Time scikit-learn's MiniBatchKMeans.partial_fit.")
    with json_only() as write, threadpool_limits(1):
        rows = unit_rows(task.timed)

        def learn(model: MiniBatchKMeans, batch: int, count: int) -> None:
            for start in range(0, count, batch):
                model.partial_fit(rows[start : min(start + batch, count)])

        timings = []
        for _ in range(task.repeats):
            model = started(task)
            timings.append(timed(lambda model=model: learn(model, BATCH, task.count)))

        few = min(ONE_BY_ONE, task.count)
        single = timed(lambda: learn(model, 1, few)).cpu / few
        details = {
            "batch_size": min(BATCH, task.count),
            "dtype": "float32",
            "seconds_per_sample_one_by_one": single,
            "start": "centres are copies of samples; not timed",
        }
        write(
            report(
                peer="MiniBatchKMeans",
                version=sklearn.__version__,
                task=task,
                timings=timings,
                details=details,
            )
        )


if __name__ == "__main__":
    main()
