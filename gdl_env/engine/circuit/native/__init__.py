"""Tapes as machine code, where the processor has AVX2 or AVX-512."""
