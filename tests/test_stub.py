"""The types of the kernel are those of the kernel: every name, every parameter, every order."""

from __future__ import annotations

import ast
import re
from enum import Enum
from pathlib import Path

import paucal
from paucal import _kernel

STUB = ast.parse(Path(paucal.__file__).with_name("_kernel.pyi").read_text(encoding="utf-8"))


def parameters(function):
    """Names in order, with a star before those that go by name only."""
    a = function.args
    names = [one.arg for one in (*a.posonlyargs, *a.args)]
    return [name for name in names if name != "self"] + [f"*{one.arg}" for one in a.kwonlyargs]


def described(body):
    """Name -> the parameters of its last overload; None for what is no function."""
    out = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            is_property = any(getattr(d, "id", "") == "property" for d in node.decorator_list)
            out[node.name] = None if is_property else parameters(node)
    return out


def bound(owner):
    out = {}
    for name in dir(owner):
        value = vars(owner).get(name, getattr(owner, name)) if isinstance(owner, type) else getattr(owner, name)
        function = getattr(value, "__func__", value)
        if name.startswith("_") or isinstance(value, type):
            continue
        signature = getattr(function, "__nb_signature__", None)
        out[name] = None if signature is None else parsed(signature[0][0])
    return out


def parsed(signature):
    text = re.sub(r"\\\d+", "None", signature)  # defaults stand elsewhere
    text = re.sub(r"ndarray\[[^\]]*\]", "object", text)
    return parameters(ast.parse(f"{text.strip().rstrip(':')}: ...").body[0])


def classes():
    for node in STUB.body:
        if isinstance(node, ast.ClassDef):
            yield node.name, node, getattr(_kernel, node.name)


def test_functions():
    assert described(STUB.body) == bound(_kernel)


def test_classes():
    native = {name for name in dir(_kernel) if isinstance(getattr(_kernel, name), type)}
    assert {name for name, *_ in classes()} == native
    for name, node, kind in classes():
        if issubclass(kind, Enum):
            fields = [target.id for one in node.body if isinstance(one, ast.Assign) for target in one.targets]
            assert fields == list(kind.__members__), name
            continue
        wanted = {key: value for key, value in described(node.body).items() if key != "__init__"}
        assert wanted == bound(kind), name


def test_constructors():
    for name, node, kind in classes():
        wanted = described(node.body).get("__init__")
        if wanted is None or issubclass(kind, Enum):
            continue
        made = [
            parsed(one[0])
            for way in ("__new__", "__init__")
            for one in getattr(getattr(kind, way), "__nb_signature__", ())
        ]
        shown = [[p for p in some if p not in {"cls", "arg", "args", "kwargs"}] for some in made]
        assert wanted in shown, name
