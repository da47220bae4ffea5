"""How kernels are compiled and where their machine code is kept."""
