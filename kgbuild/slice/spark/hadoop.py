"""Read and write the files that Hadoop can reach (local, HDFS, S3, …), by Spark's Java."""

import contextlib
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.dump import atomic_files
from kgbuild.errors import OutputExistsError, UnreadableDumpError, WriteError

_BUFFER = 1 << 20
_ZSTD_LEVEL = 3
_MAGIC = 4
"""The first bytes of a file, which identify its compression."""
_TAIL = 11
"""The last bytes of a file, which show whether it is complete."""


class Source(NamedTuple):
    """A file to read, with its first bytes and its last ones.

    ``codec`` is the Java class with which Hadoop would decompress it, by its name; or empty.
    """

    uri: str
    size: int
    modified: str
    start: bytes
    end: bytes
    codec: str

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return self.uri.rpartition("/")[2]


class Files:
    """The files that a Spark context can reach, by paths or URIs.

    Raises:
        UnreadableDumpError: a file to read is missing, or cannot be read.
        WriteError: a file cannot be written or removed.
    """

    def __init__(self, context: Any):
        self._jvm = context._jvm
        self._gateway = context._gateway
        self._conf = context._jsc.hadoopConfiguration()

    def sources(self, path: str) -> list[Source]:
        """Return the files of a path, which may be a folder or have wildcards, in order."""
        with _errors_as(UnreadableDumpError, path):
            system, place = self._system(path)
            if system.exists(place):  # a name may have brackets that are no wildcards
                matches = [system.getFileStatus(place)]
            else:
                matches = system.globStatus(place) or []
            files = [file for match in matches for file in self._below(system, match)]
            if not files:
                raise UnreadableDumpError(path, "No such file")
            return [self._source(system, file) for file in files]

    def uri(self, path: str) -> str:
        """Return a path in full, with its scheme."""
        with _errors_as(WriteError, path):
            system, place = self._system(path)
            return str(system.makeQualified(place).toString())

    @contextlib.contextmanager
    def working(self, out: str, force: bool) -> Iterator[str]:
        """Yield a folder beside the file ``out`` (a URI): see ``atomic_files.working``.

        Raises:
            OutputExistsError: the file exists, and ``force`` does not allow to replace it.
            OutputBusyError: another process on this machine works on it.
        """
        path = local(out)
        if path is not None:
            with atomic_files.working(path, force) as beside:
                yield f"file://{beside.resolve()}"
            return
        parent, _, name = out.rpartition("/")
        folder = f"{parent}/.{name}.partial"
        with _errors_as(WriteError, out):
            system, place = self._system(out)
            if system.exists(place) and not (force and system.getFileStatus(place).isFile()):
                raise OutputExistsError(out)
            system.delete(self._path(folder), True)
            system.mkdirs(self._path(folder))
        try:
            yield folder
        finally:
            with _errors_as(WriteError, out):
                system.delete(self._path(folder), True)

    def join(self, folder: str, out: str) -> tuple[int, str]:
        """Write the parts in a folder, in order, into one file; return its size and SHA-256.

        Parts of a .gz are compressed already; a .zst is compressed now.
        """
        with _errors_as(WriteError, out):
            system, place = self._system(folder)
            parts = [part.getPath() for part in system.listStatus(place)]
            named = {path.getName(): path for path in parts if path.getName().startswith("part-")}
            digest = self._jvm.java.security.MessageDigest.getInstance("SHA-256")
            stream = self._jvm.java.security.DigestOutputStream(self._created(out), digest)
            if out.endswith(".zst"):
                zstd = self._jvm.com.github.luben.zstd.ZstdOutputStream
                stream = zstd(stream, _ZSTD_LEVEL)
            with contextlib.closing(stream):
                for name in sorted(named, key=lambda name: int(name.split("-")[1])):
                    with contextlib.closing(system.open(named[name])) as part:
                        self._jvm.org.apache.hadoop.io.IOUtils.copyBytes(
                            part, stream, _BUFFER, False
                        )
            system.delete(place, True)
            size = self._system(out)[0].getFileStatus(self._path(out)).getLen()
            return int(size), bytes(digest.digest()).hex()

    def write(self, path: str, text: str) -> None:
        """Write a text into a file."""
        with _errors_as(WriteError, path), contextlib.closing(self._created(path)) as stream:
            stream.write(text.encode())

    def publish(self, made: str, out: str) -> None:
        """Give a complete file its final name, atomically."""
        path, final = local(made), local(out)
        with _errors_as(WriteError, out):
            if path is not None and final is not None:
                atomic_files.publish(path, final)  # Hadoop would remove the old one first
                return
            rename = getattr(self._jvm.org.apache.hadoop.fs, "Options$Rename")
            options = self._gateway.new_array(rename, 1)
            options[0] = rename.OVERWRITE
            place = self._path(out)
            context = self._jvm.org.apache.hadoop.fs.FileContext
            context.getFileContext(place.toUri(), self._conf).rename(
                self._path(made), place, options
            )

    def remove(self, path: str) -> None:
        """Remove a file, if it exists."""
        with _errors_as(WriteError, path):
            system, place = self._system(path)
            system.delete(place, False)

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> tuple[Any, Any]:
        place = self._path(path)
        system = place.getFileSystem(self._conf)
        system.setWriteChecksum(False)  # a file beside a local one
        return system, place

    def _created(self, path: str) -> Any:
        system, place = self._system(path)
        return system.create(place, True)

    def _below(self, system: Any, status: Any) -> Iterator[Any]:
        if not status.isDirectory():
            yield status
            return
        files = {file.getPath().getName(): file for file in system.listStatus(status.getPath())}
        for name in sorted(files):
            if files[name].isFile() and not name.startswith(("_", ".")):
                yield files[name]

    def _source(self, system: Any, file: Any) -> Source:
        place = file.getPath()
        with contextlib.closing(system.open(place)) as stream:
            start = _read(stream, _MAGIC)
            stream.seek(max(0, file.getLen() - _TAIL))
            end = _read(stream, _TAIL)
        codec = self._jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(
            self._conf
        ).getCodec(place)
        return Source(
            uri=place.toString(),
            size=int(file.getLen()),
            modified=_date(file.getModificationTime()),
            start=start,
            end=end,
            codec=codec.getClass().getSimpleName() if codec else "",
        )


@contextlib.contextmanager
def _errors_as(kind: type[UnreadableDumpError | WriteError], path: str) -> Iterator[None]:
    """Raise an error of this kind about a path for an error of Java."""
    from py4j.protocol import Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        raise kind(path, message(error)) from error


def message(error: Any) -> str:
    """Return the message of the innermost Java error, on one line, without a full stop."""
    cause = error.java_exception
    while cause.getCause() is not None:
        cause = cause.getCause()
    text = str(cause.getMessage() or cause.getClass().getSimpleName())
    return text.strip().splitlines()[0].rstrip(".")


def local(uri: str) -> Path | None:
    """Return the path of a URI that is a file of this machine, else None."""
    path = uri.removeprefix("file:")
    return None if path == uri else Path("/" + path.lstrip("/"))


def _read(stream: Any, count: int) -> bytes:
    return bytes(byte for _ in range(count) if (byte := stream.read()) >= 0)


def _date(milliseconds: int) -> str:
    when = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC)
    return when.date().isoformat()
