"""Compile, assemble, check, simulate and measure shaders for real GPUs, without one.

>>> import chiaro
>>> made = chiaro.compile("water.vert", target="pica200")
>>> made.report["cycles"]
{'shortest': 17, 'longest': 17}
>>> run = chiaro.simulate(made.container, {"position": positions})

Files are paths, :class:`Source` (a name and a text), or the bytes of containers. What is wrong is raised as
:class:`InputError` with file, line and column, or :class:`UsageError`. Every function runs without the
interpreter's lock, so threads work side by side. :mod:`chiaro.distributed` looks at many shaders on Ray and Dask.
"""

from ._ask import File, Option, Settings, Source
from ._chiaro import __version__
from ._errors import BugError, ChiaroError, Diagnostic, Edit, Fix, InputError, UsageError
from ._run import Fault, Output, Run, interpret, simulate, trace
from ._tools import (
    Assembled,
    Compiled,
    abi,
    assemble,
    check,
    command,
    compile,
    diff,
    disassemble,
    draw,
    explain,
    info,
    link,
    report,
    report_many,
    targets,
    timeline,
)

__all__ = [
    "Assembled",
    "BugError",
    "ChiaroError",
    "Compiled",
    "Diagnostic",
    "Edit",
    "Fault",
    "File",
    "Fix",
    "InputError",
    "Option",
    "Output",
    "Run",
    "Settings",
    "Source",
    "UsageError",
    "__version__",
    "abi",
    "assemble",
    "check",
    "command",
    "compile",
    "diff",
    "disassemble",
    "draw",
    "explain",
    "info",
    "interpret",
    "link",
    "report",
    "report_many",
    "simulate",
    "targets",
    "timeline",
    "trace",
]
