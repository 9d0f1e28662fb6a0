"""The door to Apache Spark: start it, see it work, and take what it says of its failures."""

import contextlib
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from kgbuild.errors import JavaError, MasterError, MissingExtraError, SparkError
from kgbuild.slice.spark import hadoop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Session: TypeAlias = "SparkSession"
Rows: TypeAlias = "DataFrame"

JAVA = 17
"""The oldest Java on which Spark 4 runs."""
_PATIENCE = 10
"""Seconds in which a master is to answer."""
_ROOM = 60
"""Seconds in which a standalone cluster is to give a first executor."""
_NEEDED = ("pyspark", "pyarrow", "pandas")
_SETTINGS = {
    "spark.app.name": "kgbuild",
    "spark.ui.showConsoleProgress": "false",  # there is a bar of our own
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
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings(), tempfile.TemporaryFile() as log:
        warnings.simplefilter("ignore", FutureWarning)  # of pandas, which is not used
        session = _session(master, log)
        try:
            _require_executor(session)
            yield session
        finally:
            session.stop()


def _session(master: str | None, log: IO[bytes]) -> Session:
    """Start Java, whose chatter goes to a log: what fails is said once, by us."""
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf().setAll(list(_SETTINGS.items()))
    if master:
        conf.setMaster(master)
    try:
        # Java goes on when Spark stops, and only one fits into a process.
        java = SparkContext._gateway or launch_gateway(conf, {"stdout": log, "stderr": log})
        return SparkSession(SparkContext(conf=conf, gateway=java))
    except (Py4JError, PySparkException, OSError) as error:
        log.seek(0)
        told = _bottom(log.read().decode("utf-8", "replace"))  # if Java itself ended
        says = told if told and isinstance(error, PySparkException) else _said(error)
        raise MasterError(master or "Spark's own settings", says) from error


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
    failure = ""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not (host and port.isdecimal()):
            raise MasterError(master, "it is to be spark://HOST:PORT")
        try:
            socket.create_connection((host, int(port)), _PATIENCE).close()
        except (OSError, OverflowError) as error:
            failure = getattr(error, "strerror", None) or str(error)
        else:
            return
    raise MasterError(master, failure)


def _require_executor(session: Session) -> None:
    """Raise unless a standalone cluster gives an executor: it may have no worker, or none free.

    Spark itself would wait for one, and say nothing.
    """
    context = session.sparkContext
    if not context.master.startswith("spark://"):
        return
    end = time.monotonic() + _ROOM
    while context._jsc.sc().getExecutorMemoryStatus().size() < 2:  # the first is this process
        if time.monotonic() > end:
            said = f"no worker of it had an executor to give in {_ROOM} s"
            raise MasterError(context.master, said)
        time.sleep(0.1)


@contextlib.contextmanager
def working(session: Session, tell: Callable[[int, int], None]) -> Iterator[None]:
    """Tell, again and again, how many tasks of the job under way are done, and of how many."""
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
    finally:
        ended.set()
        watcher.join()


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """Let Spark do something.

    Raises:
        SparkError: it gives up.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise SparkError(_said(error)) from error


def _said(error: Exception) -> str:
    """Return what is at the bottom of a failure, on one line, without a full stop."""
    if hasattr(error, "java_exception"):
        return hadoop.said(error)
    return _bottom(str(error)) or type(error).__name__


def _bottom(text: str) -> str:
    """Return the last of the errors in a text: the innermost one, in Java and in Python."""
    lines = [line.strip() for line in text.splitlines()]
    causes = [line for line in lines if line.startswith("Caused by:")]
    errors = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception)\b", line)]
    said = (causes or errors or lines or [""])[-1]
    named = r'(Caused by: )?(Exception in thread "\w+" )?((\w+\.)+\w+: )?'
    return re.sub(named, "", said, count=1).rstrip(".")
