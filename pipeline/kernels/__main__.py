"""Compile every kernel and callback, so that the first analysis need not."""

from pipeline.kernels.warm import compile_all


def main() -> None:
    """Fill the cache; without an OTF2 library only what needs none."""
    compile_all()


if __name__ == "__main__":
    main()
