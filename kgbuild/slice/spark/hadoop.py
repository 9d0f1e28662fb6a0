"""Files wherever Hadoop finds them (local, HDFS, S3, …), by way of a running Spark's Java."""

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
"""First bytes of a file that tell how it is compressed."""
_TAIL = 11
"""Last bytes of a file that tell whether it ends as it should."""


class Source(NamedTuple):
    """A file to be read: its ``modified`` date, its first bytes and its last ones.

    ``codec`` is what Hadoop takes it for, by its name: the name of a Java class, or empty.
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
    """The files that a Spark context can reach, by paths or URIs, as Java has them (``jvm``)."""

    def __init__(self, context: Any):
        self._jvm = context._jvm
        self._gateway = context._gateway
        self._conf = context._jsc.hadoopConfiguration()

    def sources(self, path: str) -> list[Source]:
        """Return the files of a path, which may be a folder or have wildcards, in order.

        Raises:
            UnreadableDumpError: there is none, or it cannot be read.
        """
        with self._reading(path):
            system, place = self._system(path)
            named = system.exists(place)  # a name may have brackets that are no wildcards
            found = [system.getFileStatus(place)] if named else system.globStatus(place) or ()
            files = [file for one in found for file in self._below(system, one)]
            if not files:
                raise UnreadableDumpError(path, "No such file")
            return [self._source(system, file) for file in files]

    def uri(self, path: str) -> str:
        """Return a path in full, with its scheme.

        Raises:
            WriteError: no file system is known by that scheme.
        """
        with self._writing(path):
            system, place = self._system(path)
            return str(system.makeQualified(place).toString())

    @contextlib.contextmanager
    def working(self, out: str, force: bool) -> Iterator[str]:
        """Give a folder beside the file ``out`` (a URI) to work in: see ``atomic_files.working``.

        Raises:
            OutputExistsError: the file is there, and not to be replaced by ``force``.
            OutputBusyError: another process on this machine is at work on it.
            WriteError: the folder cannot be written.
        """
        path = local(out)
        if path is not None:
            with atomic_files.working(path, force) as beside:
                yield f"file://{beside.resolve()}"
            return
        parent, _, name = out.rpartition("/")
        folder = f"{parent}/.{name}.partial"
        with self._writing(out):
            system, place = self._system(out)
            if system.exists(place) and not (force and system.getFileStatus(place).isFile()):
                raise OutputExistsError(out)
            system.delete(self._path(folder), True)
            system.mkdirs(self._path(folder))
        try:
            yield folder
        finally:
            with self._writing(out):
                system.delete(self._path(folder), True)

    def join(self, folder: str, out: str) -> tuple[int, str]:
        """Write the parts in a folder, in order, into one file; return its size and SHA-256.

        Parts of a .gz are compressed already; a .zst is compressed on the way.

        Raises:
            WriteError: it cannot be written.
        """
        with self._writing(out):
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
        """Write a text into a file.

        Raises:
            WriteError: it cannot be written.
        """
        with self._writing(path), contextlib.closing(self._created(path)) as stream:
            stream.write(text.encode())

    def publish(self, made: str, out: str) -> None:
        """Give a complete file its final name, at once.

        Raises:
            WriteError: it cannot be done.
        """
        path, final = local(made), local(out)
        with self._writing(out):
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
        """Remove a file, if it is there.

        Raises:
            WriteError: it is there, and cannot be removed.
        """
        with self._writing(path):
            system, place = self._system(path)
            system.delete(place, False)

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> tuple[Any, Any]:
        place = self._path(path)
        system = place.getFileSystem(self._conf)
        system.setWriteChecksum(False)  # or a local file would get one beside it
        return system, place

    def _created(self, path: str) -> Any:
        system, place = self._system(path)
        return system.create(place, True)

    def _below(self, system: Any, found: Any) -> Iterator[Any]:
        """Yield a file, or those in a folder but for hidden ones, by name."""
        if not found.isDirectory():
            yield found
            return
        files = {file.getPath().getName(): file for file in system.listStatus(found.getPath())}
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
    def _reading(self, path: str) -> Iterator[None]:
        from py4j.protocol import Py4JJavaError

        try:
            yield
        except Py4JJavaError as error:
            raise UnreadableDumpError(path, said(error)) from error

    @contextlib.contextmanager
    def _writing(self, path: str) -> Iterator[None]:
        from py4j.protocol import Py4JJavaError

        try:
            yield
        except Py4JJavaError as error:
            raise WriteError(path, said(error)) from error


def said(error: Any) -> str:
    """Return what the innermost of Java's errors says, on one line, without a full stop."""
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
