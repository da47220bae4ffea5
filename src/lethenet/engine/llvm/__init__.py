"""Code for vector registers, written in LLVM's own language."""
