"""What a command hangs itself onto: argparse names no public type for it."""

import argparse

type Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001
