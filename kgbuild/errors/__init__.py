"""Every error that a user can meet: its data, its sentence and its exit code."""

from kgbuild.errors.base import *
from kgbuild.errors.datasets import *
from kgbuild.errors.dump import *
from kgbuild.errors.items import *
from kgbuild.errors.models import *
from kgbuild.errors.store import *
from kgbuild.errors.tables import *
