"""How the network is simulated fast: the same bits as ``lethenet.model.reference``.

A sample walks through ``spikes`` (encoding), ``input_spikes`` (its train in time), ``membrane`` (integration,
first crossing), ``plasticity`` and ``dopamine``; ``presentation`` composes them and the batches run many.
``candidates`` tells who can fire at all and whom a dopaminergic push can reach, ``llvm`` holds code for vector
registers, ``compiling`` how kernels are compiled and kept. ``layouts`` are the records kernels hand around.
"""
