"""The door to Apache Spark: start it, see it work, and take what it says of its failures."""

import contextlib
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kgbuild.errors import JavaError, MasterError, MissingExtraError, SparkError
from kgbuild.kg import hadoop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Session: TypeAlias = "SparkSession"
Rows: TypeAlias = "DataFrame"

JAVA = 17
"""The oldest Java on which Spark 4 runs."""
_PATIENCE = 10
"""Seconds in which a master is to answer."""
_NEEDED = ("pyspark", "pyarrow", "pandas")
_SETTINGS = {
    "spark.app.name": "kgbuild",
    "spark.ui.showConsoleProgress": "false",  # there is a bar of our own
    "spark.log.level": "OFF",  # what fails is said once, by us
}


@contextlib.contextmanager
def started(master: str | None = None) -> Iterator[Session]:
    """Start Spark, and stop it at the end; ``master`` is Spark's own setting if None.

    All else is set as Spark's users set it: by ``spark-defaults.conf``, ``PYSPARK_PYTHON``, ….

    Raises:
        MissingExtraError: pyspark is not installed.
        JavaError: there is no Java, or too old a one.
        MasterError: nothing answers there.
    """
    for package in _NEEDED:
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError("spark", package)
    _require_java()
    if master:
        _require_answer(master)
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.config(map=dict(_SETTINGS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of pandas, which is not used
        try:
            session = (builder.master(master) if master else builder).getOrCreate()
        except (Py4JError, PySparkException, OSError) as error:
            raise MasterError(master or "Spark's own settings", _said(error)) from error
        try:
            yield session
        finally:
            session.stop()


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    try:
        done = subprocess.run([java or "java", "-version"], capture_output=True, text=True)  # noqa: S603
    except OSError as error:
        raise JavaError(JAVA, "") from error
    found = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', done.stderr)
    if found is None or int(found[2]) < JAVA:
        raise JavaError(JAVA, found[1] if found else "")


def _require_answer(master: str) -> None:
    """Raise unless one of a standalone cluster's masters takes a connection.

    Spark itself would go on trying for longer than anybody waits.
    """
    if not master.startswith("spark://"):
        return
    failure = "an address is HOST:PORT"
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), _PATIENCE).close()
        except (OSError, ValueError, OverflowError) as error:
            failure = getattr(error, "strerror", None) or str(error) or failure
        else:
            return
    raise MasterError(master, failure)


@contextlib.contextmanager
def working(session: Session, tell: Callable[[int, int], None]) -> Iterator[None]:
    """Tell, again and again, how many tasks of the job under way are done, and of how many.

    Raises:
        SparkError: Spark gives the job up.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    tracker, ended = session.sparkContext.statusTracker(), threading.Event()

    def watch() -> None:
        while not ended.wait(1):
            known = map(tracker.getStageInfo, tracker.getActiveStageIds())
            stages = [stage for stage in known if stage]
            if stages:
                done = sum(stage.numCompletedTasks for stage in stages)
                tell(done, sum(stage.numTasks for stage in stages))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise SparkError(_said(error)) from error
    finally:
        ended.set()
        watcher.join()


_STAGE = re.compile(r"Job aborted due to stage failure: .*?: ")


def _said(error: Exception) -> str:
    """Return what is at the bottom of a failure, on one line, without a full stop."""
    if hasattr(error, "java_exception"):
        return hadoop.said(error)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # Of an error in Python, the last line of its traceback; of Java's, the innermost cause.
    causes = [line for line in lines if line.startswith("Caused by:")]
    raised = [line for line in lines if re.match(r"[\w.]*(Error|Exception)\b", line)]
    text = (causes or raised or lines or [type(error).__name__])[-1]
    return _STAGE.sub("", text.removeprefix("Caused by:").strip()).rstrip(".")


def broadcast(session: Session, value: Any) -> Any:
    """Return what hands a value to all tasks: ask it for ``value``."""
    return session.sparkContext.broadcast(value)
