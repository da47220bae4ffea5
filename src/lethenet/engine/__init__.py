"""How the network is simulated fast: the same bits as ``lethenet.model.reference``.

A sample walks through ``encoding`` (rates), ``input_spikes`` (its spikes in time), ``membrane``
(integration, first crossing), ``plasticity``, ``dopamine`` and ``inhibition``; ``presentation`` composes
them, ``batches`` present many. ``candidates`` tells who may fire and whom a dopaminergic push can
reach; ``rule_kernels`` compiles the loop for a learning rule; ``llvm`` holds code for vector registers,
``compiling`` how kernels are compiled and kept. ``layouts`` are the tuples that kernels hand around.
"""
