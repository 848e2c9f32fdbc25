"""Commands that take every option once, and no file that is read as well, or for two results, or cannot be written."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import click

from paucal.atomic import refuse_unwritable
from paucal.errors import ParameterError

# options that name a file to write; every other file is read
_WRITTEN = ("out", "report", "save_recipe", "svg", "dot", "mermaid", "graphml", "latex")


class FilesCommand(click.Command):
    """A command that looks at the files it was given before it begins, and takes no option twice."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option that is given twice: only the last would count."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for one, times in Counter(given).items():
            if (
                times > 1
                and isinstance(one, click.Option)
                and not one.multiple
                and (not one.is_flag or one.secondary_opts)
            ):
                words = " / ".join([*one.opts, *one.secondary_opts])
                raise click.BadOptionUsage(words, f"{words} is given {times} times. Give it once.", ctx=ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Refuse files that clash, then go on."""
        files = [p.name for p in self.params if isinstance(p, click.Argument) or p.metavar == "FILE"]
        named = {name: path for name, path in ctx.params.items() if name in files and isinstance(path, str)}
        read = [path for name, path in named.items() if name not in _WRITTEN]
        written: dict[str, str] = {}
        for name in _WRITTEN:
            if name not in named:
                continue
            path, option = named[name], f"--{name.replace('_', '-')}"
            if any(_is_same(path, other) for other in read):
                problem = f"{option} {path} is the file that is read."
                raise ParameterError(problem, hint="Name another file to write.", parameter=name, value=path)
            for other, before in written.items():
                if _is_same(path, before):
                    problem = f"{other} and {option} would write the same file, {path}."
                    raise ParameterError(problem, hint="Name another file for one of them.", parameter=name, value=path)
            refuse_unwritable(path)
            written[option] = path
        return super().invoke(ctx)


def _is_same(one: str, other: str) -> bool:
    """Tell whether two names are of one file, there already or not; what is no file, such as a pipe, takes many."""
    try:
        a, b = Path(one), Path(other)
        if a.exists() and b.exists():
            return a.is_file() and a.samefile(b)
        return os.path.realpath(one) == os.path.realpath(other)
    except (OSError, ValueError):  # names that no file can have: they are refused where they are opened
        return False
