"""Run the command line: ``python -m kgbuild``."""

from kgbuild.cli import main

main()
