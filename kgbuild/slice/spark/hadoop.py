"""Read and write files in the file systems of Hadoop (local, HDFS, S3, …), with Java's classes."""

import contextlib
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.errors import OutputExistsError, UnreadableDumpError, WriteError
from kgbuild.files import atomic_files, part_folders

_BUFFER = 1 << 20
"""Number of bytes that are copied at a time."""
_EMPTY_SIZE = 20
"""Size in bytes of a .gz file of an empty text."""
_ZSTD_LEVEL = 3
_START_SIZE = 4
"""Number of bytes at the start of a file that identify its compression."""
_END_SIZE = 11
"""Number of bytes at the end of a file that show whether it is complete."""


class HadoopSource(NamedTuple):
    """A file to read; ``size`` is in bytes, ``start`` and ``end`` are its first and last bytes.

    ``codec`` is the name of the Java class with which Hadoop would decompress the file, or empty.
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


class HadoopFiles:
    """Reads and writes files through a Spark context; files are named by paths or URIs.

    Raises:
        UnreadableDumpError: a file to read is missing, or cannot be read.
        WriteError: a file cannot be written or removed.
    """

    def __init__(self, context: Any):
        self._jvm = context._jvm
        self._gateway = context._gateway
        self._conf = context._jsc.hadoopConfiguration()

    def sources(self, path: str) -> list[HadoopSource]:
        """Return the files of a path, sorted; the path may be a folder or have wildcards."""
        with _errors_as(UnreadableDumpError, path):
            system, target = self._system(path)
            if system.exists(target):  # a name may have the characters of a pattern
                matches = [system.getFileStatus(target)]
            else:
                matches = system.globStatus(target) or []
            files = [file for match in matches for file in self._list(system, match)]
            if not files:
                raise UnreadableDumpError(path, "No such file")
            return [self._source(file) for file in files]

    def uri(self, path: str) -> str:
        """Return the absolute URI of a path."""
        with _errors_as(WriteError, path):
            system, target = self._system(path)
            return str(system.makeQualified(target).toString())

    @contextlib.contextmanager
    def working_folder(self, out: str, force: bool) -> Iterator[str]:
        """Yield a temporary folder for writing ``out`` (a URI): see ``atomic_files``.

        Raises:
            OutputExistsError: the file exists, and ``force`` is false.
            OutputBusyError: another process on this machine is writing it.
        """
        path = local(out)
        if path is not None:
            with atomic_files.working_folder(path, force) as local_folder:
                yield f"file://{local_folder.resolve()}"
            return
        parent, _, name = out.rpartition("/")
        folder = f"{parent}/.{name}.partial"
        with _errors_as(WriteError, out):
            system, target = self._system(out)
            if system.exists(target) and not (force and system.getFileStatus(target).isFile()):
                raise OutputExistsError(out, system.getFileStatus(target).isDirectory())
            system.delete(self._path(folder), True)
            system.mkdirs(self._path(folder))
        try:
            yield folder
        finally:
            with _errors_as(WriteError, out):
                system.delete(self._path(folder), True)

    def join(self, folder: str, out: str) -> tuple[int, str]:
        """Join the parts in a folder, in order, into one file; return its size and SHA-256.

        The parts of a .gz file are already compressed; a .zst file is compressed here.
        """
        with _errors_as(WriteError, out):
            digest = self._jvm.java.security.MessageDigest.getInstance("SHA-256")
            stream = self._jvm.java.security.DigestOutputStream(self._create(out), digest)
            if out.endswith(".zst"):
                zstd = self._jvm.com.github.luben.zstd.ZstdOutputStream
                stream = zstd(stream, _ZSTD_LEVEL)
            with contextlib.closing(stream):
                for status in self._parts(folder):
                    with contextlib.closing(self._open(status)) as part:
                        self._jvm.org.apache.hadoop.io.IOUtils.copyBytes(
                            part, stream, _BUFFER, False
                        )
            size = self._system(out)[0].getFileStatus(self._path(out)).getLen()
            return int(size), bytes(digest.digest()).hex()

    def collect(self, folder: str, out: str) -> int:
        """Move the parts in a folder to the folder ``out``, and list them; return their size.

        The parts are .gz files. A part without lines is left out.
        """
        with _errors_as(WriteError, out):
            system, target = self._system(out)
            system.mkdirs(target)
            sizes: dict[str, int] = {}
            for status in self._parts(folder):
                if status.getLen() > _EMPTY_SIZE:
                    name = f"part-{len(sizes):05}.nt.gz"
                    if not system.rename(status.getPath(), self._path(f"{out}/{name}")):
                        raise WriteError(out, f"{name} cannot be moved there")
                    sizes[name] = int(status.getLen())
        self.write(f"{out}/{part_folders.LIST}", part_folders.listing(sizes))
        return sum(sizes.values())

    def write(self, path: str, text: str) -> None:
        """Write a text into a file."""
        with _errors_as(WriteError, path), contextlib.closing(self._create(path)) as stream:
            stream.write(text.encode())

    def publish(self, complete: str, out: str) -> None:
        """Rename a complete file to its final name, atomically."""
        source, final = local(complete), local(out)
        with _errors_as(WriteError, out):
            if source is not None and final is not None:
                atomic_files.publish(source, final)  # Hadoop would remove the old file first
                return
            rename = getattr(self._jvm.org.apache.hadoop.fs, "Options$Rename")
            options = self._gateway.new_array(rename, 1)
            options[0] = rename.OVERWRITE
            target = self._path(out)
            context = self._jvm.org.apache.hadoop.fs.FileContext
            context.getFileContext(target.toUri(), self._conf).rename(
                self._path(complete), target, options
            )

    def remove(self, path: str) -> None:
        """Remove a file, if it exists."""
        with _errors_as(WriteError, path):
            system, target = self._system(path)
            system.delete(target, False)

    def _parts(self, folder: str) -> list[Any]:
        """Return the status of each part that Spark wrote to a folder, in order."""
        system, target = self._system(folder)
        parts = {part.getPath().getName(): part for part in system.listStatus(target)}
        names = [name for name in parts if name.startswith("part-")]
        return [parts[name] for name in sorted(names, key=lambda name: int(name.split("-")[1]))]

    def _open(self, status: Any) -> Any:
        return status.getPath().getFileSystem(self._conf).open(status.getPath())

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> tuple[Any, Any]:
        """Return the FileSystem and the Path of Java for a path."""
        target = self._path(path)
        system = target.getFileSystem(self._conf)
        system.setWriteChecksum(False)  # otherwise Hadoop writes a .crc file beside each local file
        return system, target

    def _create(self, path: str) -> Any:
        system, target = self._system(path)
        return system.create(target, True)

    def _list(self, system: Any, status: Any) -> Iterator[Any]:
        """Yield the status of a file, or of the files in a folder, without hidden ones."""
        if not status.isDirectory():
            yield status
            return
        files = {file.getPath().getName(): file for file in system.listStatus(status.getPath())}
        if part_folders.LIST in files:
            with contextlib.closing(self._open(files[part_folders.LIST])) as stream:
                text = bytes(stream.readAllBytes()).decode("utf-8", "replace")
            sizes = {name: int(file.getLen()) for name, file in files.items()}
            folder = str(status.getPath().toString())
            yield from (files[name] for name in part_folders.checked(folder, text, sizes))
            return
        for name in sorted(files):
            if files[name].isFile() and not name.startswith(("_", ".")):
                yield files[name]

    def _source(self, file: Any) -> HadoopSource:
        target = file.getPath()
        with contextlib.closing(self._open(file)) as stream:
            start = _read(stream, _START_SIZE)
            stream.seek(max(0, file.getLen() - _END_SIZE))
            end = _read(stream, _END_SIZE)
        codec = self._jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(
            self._conf
        ).getCodec(target)
        return HadoopSource(
            uri=target.toString(),
            size=int(file.getLen()),
            modified=_date(file.getModificationTime()),
            start=start,
            end=end,
            codec=codec.getClass().getSimpleName() if codec else "",
        )


@contextlib.contextmanager
def _errors_as(kind: type[UnreadableDumpError | WriteError], path: str) -> Iterator[None]:
    """Turn a Java error in the block into an error of this kind about a path."""
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
    """Return the path of a local file's URI; None for other URIs."""
    path = uri.removeprefix("file:")
    return None if path == uri else Path("/" + path.lstrip("/"))


def _read(stream: Any, count: int) -> bytes:
    return bytes(byte for _ in range(count) if (byte := stream.read()) >= 0)


def _date(milliseconds: int) -> str:
    time = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC)
    return time.date().isoformat()
