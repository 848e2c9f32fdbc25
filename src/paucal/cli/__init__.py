"""The command line: parse, call, print; no logic of its own.

Each command lives in a module of its own, which is imported when the command is used, so that `paucal --help` is quick.
Bad input ends with one clear line and exit code 2.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from importlib import import_module
from typing import IO, Any

import click

import paucal
from paucal.cli.interrupting import CODE
from paucal.cli.wording import in_options, one_line
from paucal.errors import PaucalError, PaucalWarning, unknown_name

# command -> one line for `paucal --help`; the module is paucal.cli.<command>, the function `command`
COMMANDS = {
    "inspect": "What is in a data file, and what it can decide.",
    "prepare": "Propose what to do to a data file before learning.",
    "test": "Test whether two columns are independent, given others.",
    "learn": "Learn a graph from data.",
    "effect": "What happens to one column when another is set.",
    "blanket": "Causes, effects and other close relatives of some columns.",
    "fit": "Fit a network to data, and write it as BIF.",
    "networks": "The bundled networks.",
    "sample": "Draw rows from a network.",
    "show": "Show a graph, in many formats.",
    "compare": "How two graphs differ.",
    "reproduce": "Tables and figures of the paper, recomputed.",
}


class _Refusal(click.ClickException):
    """One of our errors, as click shows errors: one line, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"paucal: error: {self.message}", file=file, err=file is None)


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"paucal.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx  # the short texts stand above, so that no command module has to be imported
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _misused(error) from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise unknown_name("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PaucalWarning)
            warnings.showwarning = _show_warning
            try:
                result = super().invoke(ctx)
                _flush()
            except PaucalError as error:
                command = self.get_command(ctx, ctx.invoked_subcommand or "")
                raise _Refusal(in_options(error, command)) from error
            except click.UsageError as error:
                raise _misused(error) from error
            except MemoryError as error:
                raise _Refusal("There is not enough memory for that.") from error
            except RecursionError as error:
                raise _Refusal("The input is nested too deeply.") from error
            except OSError as error:
                raise _written(error) from error
            return result


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(paucal.__version__, prog_name="paucal")
def cli() -> None:
    """Learn what causes what from small tables."""


def main() -> None:
    """Run the command line."""
    # NumPy would start a thread for every core, for products of matrices that no command makes: a tenth of a second.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in ("stdout", "stderr"):  # Python has none for a stream that somebody closed
        if getattr(sys, name) is None:
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):  # a letter that the terminal does not know is written as its number
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(prog_name="paucal", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("paucal: interrupted.", err=True)
        sys.exit(CODE)


def _flush() -> None:
    """Write what is left for standard output, so that a failure shows while it can still be told."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _written(error: OSError) -> BaseException:
    """Tell that standard output could not be written; whoever closes a pipe early has seen enough."""
    if error.filename is not None:
        return _Refusal(f"{error.filename}: {error.strerror or error}.")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())  # Python writes once more when it ends
    if error.errno == errno.EPIPE:
        return SystemExit(0)
    return _Refusal(f"Standard output cannot be written: {error.strerror or error}.")


def _misused(error: click.UsageError) -> _Refusal:
    path = "paucal" if error.ctx is None else error.ctx.command_path
    problem = error.format_message().rstrip(".")
    return _Refusal(one_line(f"{problem}{'' if problem.endswith('?') else '.'} See {path} --help."))


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    if isinstance(message, PaucalWarning):
        context = click.get_current_context(silent=True)
        told = in_options(message, None if context is None else context.command)
        click.echo(f"paucal: warning: {told}", err=True)
