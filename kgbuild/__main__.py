"""Run the command line: ``python -m kgbuild``."""

import signal


def main() -> None:
    """Run the command line; while it is imported, Ctrl-C ends the process without a word."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from kgbuild.cli import main as run

    signal.signal(signal.SIGINT, handler)
    run()


if __name__ == "__main__":
    main()
