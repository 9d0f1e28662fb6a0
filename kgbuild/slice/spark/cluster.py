"""Start Apache Spark, watch its progress, and translate its failures."""

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

from kgbuild.errors import KgbuildError, missing_extra
from kgbuild.slice.spark import hadoop

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Session: TypeAlias = "SparkSession"
Rows: TypeAlias = "DataFrame"

JAVA = 17
"""The oldest Java on which Spark 4 runs."""
_ANSWER_TIMEOUT = 10
"""Maximum number of seconds until a master answers."""
_EXECUTOR_TIMEOUT = 60
"""Maximum number of seconds until a standalone cluster provides an executor."""
_PACKAGES = ("pyspark", "pyarrow", "pandas")
_SETTINGS = {
    "spark.app.name": "kgbuild",
    "spark.ui.showConsoleProgress": "false",  # kgbuild shows its own progress bar
}


@contextlib.contextmanager
def started(master: str | None = None) -> Iterator[Session]:
    """Start Spark, and stop it at the end. Without a ``master``, Spark's settings choose one.

    Spark reads its other settings from ``spark-defaults.conf``, ``PYSPARK_PYTHON`` and so on.

    Raises:
        KgbuildError: pyspark is not installed; Java is missing or too old; no master answers.
    """
    for package in _PACKAGES:
        if importlib.util.find_spec(package) is None:
            raise missing_extra("spark", package)
    _require_java()
    if master:
        _require_answer(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings(), tempfile.TemporaryFile() as log:
        warnings.simplefilter("ignore", FutureWarning)  # a warning of pandas, which is not used
        session = _session(master, log)
        try:
            _require_executor(session)
            yield session
        finally:
            session.stop()


def _session(master: str | None, log: IO[bytes]) -> Session:
    """Start Java, whose output goes to a log; if it fails, read the reason in the log."""
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf().setAll(list(_SETTINGS.items()))
    if master:
        conf.setMaster(master)
    try:
        # Java keeps running when Spark stops, and a process can have only one.
        java = SparkContext._gateway or launch_gateway(conf, {"stdout": log, "stderr": log})
        return SparkSession(SparkContext(conf=conf, gateway=java))
    except (Py4JError, PySparkException, OSError) as error:
        log.seek(0)
        log_message = _innermost(log.read().decode("utf-8", "replace"))
        has_java_ended = log_message and isinstance(error, PySparkException)
        detail = log_message if has_java_ended else _message(error)
        raise _no_master(master or "Spark's own settings", detail) from error


def _no_master(master: str, detail: str) -> KgbuildError:
    return KgbuildError(
        f"No Spark at {master}: {detail}. Name one by --master: local[4], spark://HOST:7077, yarn."
    )


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    try:
        run = subprocess.run([java or "java", "-version"], capture_output=True, text=True)  # noqa: S603
        message = run.stderr
    except OSError:
        message = ""
    version = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', message)
    if version is None or int(version[2]) < JAVA:
        found = f"this is Java {version[1]}" if version else "there is no Java here"
        raise KgbuildError(
            f"Spark needs Java {JAVA} or newer, and {found}. "
            "Install it, or set JAVA_HOME to its folder."
        )


def _require_answer(master: str) -> None:
    """Check that a master of a standalone cluster answers; Spark itself would try for too long."""
    if not master.startswith("spark://"):
        return
    failure = ""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not (host and port.isdecimal()):
            raise _no_master(master, "it must be spark://HOST:PORT")
        try:
            socket.create_connection((host, int(port)), _ANSWER_TIMEOUT).close()
        except (OSError, OverflowError) as error:
            failure = getattr(error, "strerror", None) or str(error)
        else:
            return
    raise _no_master(master, failure)


def _require_executor(session: Session) -> None:
    """Check that a standalone cluster has a free worker; Spark itself would wait forever."""
    context = session.sparkContext
    if not context.master.startswith("spark://"):
        return
    deadline = time.monotonic() + _EXECUTOR_TIMEOUT
    while context._jsc.sc().getExecutorMemoryStatus().size() < 2:  # this process counts as one
        if time.monotonic() > deadline:
            detail = f"no worker provided an executor in {_EXECUTOR_TIMEOUT} s"
            raise _no_master(context.master, detail)
        time.sleep(0.1)


@contextlib.contextmanager
def reporting(session: Session, report: Callable[[int, int], None]) -> Iterator[None]:
    """Report the numbers of finished tasks and of all tasks each second, during the block."""
    tracker, is_over = session.sparkContext.statusTracker(), threading.Event()

    def watch() -> None:
        while not is_over.wait(1):
            infos = map(tracker.getStageInfo, tracker.getActiveStageIds())
            stages = [stage for stage in infos if stage]
            if stages:
                done = sum(stage.numCompletedTasks for stage in stages)
                report(done, sum(stage.numTasks for stage in stages))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """Turn errors of Spark in the block into a KgbuildError."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        detail = _message(error)
        raise KgbuildError(
            f"Spark's workers cannot run kgbuild: {detail}. Install the same kgbuild[spark] on "
            "each, and name its Python with PYSPARK_PYTHON."
            if "No module named" in detail
            else f"Spark gave up: {detail}. What was there before is unchanged."
        ) from error


def _message(error: Exception) -> str:
    """Return the message of the innermost error, on one line, without a full stop."""
    if hasattr(error, "java_exception"):
        return hadoop.message(error)
    return _innermost(str(error)) or type(error).__name__


def _innermost(text: str) -> str:
    """Return the message of the last error in a log, which is the innermost in Java and Python."""
    lines = [line.strip() for line in text.splitlines()]
    causes = [line for line in lines if line.startswith("Caused by:")]
    errors = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception)\b", line)]
    last = (causes or errors or lines or [""])[-1]
    # The name of the error before its message, such as "Caused by: java.io.IOException: ".
    prefix = r'(Caused by: )?(Exception in thread "\w+" )?((\w+\.)+\w+: )?'
    return re.sub(prefix, "", last, count=1).rstrip(".")
