"""What can be known about machines that are not at hand: `make portable`.

1. The wheel keeps to the stable ABI (abi3audit), says which Linux it needs (auditwheel) and works in an empty
   environment.
2. The kernel compiles for Windows, macOS, musl and ARM64, by the cross-compiler that the package ziglang brings.
3. The module, compiled for ARM64 and run by qemu-user under an ARM64 Python from Debian's packages, gives the same bits
   as the installed one: special functions, tests, scores, a posterior.

Everything it makes lies in build/portable. The parts can be named: `python packaging/portable.py wheel compile arm64`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "portable"
KERNEL = ROOT / "src" / "kernel"
TARGETS = ("x86_64-windows-gnu", "aarch64-macos", "x86_64-linux-musl")
ARM64 = "aarch64-linux-gnu.2.28"  # compiled by the part that runs it
OF_THE_SYSTEM = ("exp", "exp2", "log", "log2", "tan")
FLAGS = [
    *("-std=c++20", "-Wall", "-Wextra", "-fno-math-errno", "-ffp-contract=off", f"-I{KERNEL}"),
    "-Wno-for-loop-analysis",  # it does not see that other threads change what a loop waits for (share_out.hpp)
]
V3 = ["-mpopcnt", "-mavx2", "-mbmi", "-mbmi2", "-mfma", "-mlzcnt"]
LEVELS = {  # the instruction sets of CMakeLists.txt: which loops, and the flags
    "portable": ("hot_*.cpp", []),
    "v2": ("hot_*.cpp", ["-mpopcnt", "-msse4.2", "-mssse3"]),
    "v3": ("hot_*.cpp", V3),
    "v4": ("hot_counts.cpp", [*V3, "-mavx512f", "-mavx512vpopcntdq"]),
}
LARGEST = 100_000_000  # bytes of an installed paucal with all it needs
Unit = tuple[Path, str, list[str]]  # a source file, a name for its object file, flags of its own
BITS = ROOT / "packaging" / "same_bits.py"


def run(*command: str | Path, **variables: str) -> str:
    """Run a command, with variables added to its environment, and return what it printed; stop here if it fails."""
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, **variables})
    if done.returncode != 0:
        sys.exit(f"portable: {' '.join(words[:6])} ...\n{done.stdout}{done.stderr}")
    return done.stdout


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def tool_environment() -> Path:
    """Make an environment with the tools of this page, once; the path of its Python."""
    python = WORK / "tools" / "bin" / "python"
    ready = WORK / "tools" / "ready"
    if not ready.exists():
        run(sys.executable, "-m", "venv", "--clear", WORK / "tools")
        tools = ("build", "abi3audit", "auditwheel", "ziglang==0.17.0", "nanobind==3.1.0")
        run(python, "-m", "pip", "install", "--quiet", *tools)
        ready.touch()
    return python


def check_wheel(python: Path) -> None:
    """Build the wheel; look at its ABI and at what it links to; try it in an empty environment."""
    shutil.rmtree(WORK / "wheel", ignore_errors=True)
    run(python, "-m", "build", "--wheel", "--outdir", WORK / "wheel", ROOT)
    (wheel,) = (WORK / "wheel").glob("*.whl")
    run(python.with_name("abi3audit"), "--strict", wheel)
    lowest = next(line for line in run(python, "-m", "auditwheel", "show", wheel).splitlines() if "manylinux" in line)
    run(sys.executable, "-m", "venv", "--clear", WORK / "empty")
    run(WORK / "empty" / "bin" / "python", "-m", "pip", "install", "--quiet", wheel)
    run(WORK / "empty" / "bin" / "python", ROOT / "tests" / "smoke.py")
    packages = WORK / "empty" / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    own = ("pip", "setuptools", "_distutils_hack")
    files = [
        file
        for file in packages.rglob("*")
        if file.is_file() and file.suffix != ".pyc" and not file.relative_to(packages).parts[0].startswith(own)
    ]
    size = sum(file.stat().st_size for file in files)
    say(f"wheel: {wheel.name}, {wheel.stat().st_size / 1e6:.2f} MB; no violation of the stable ABI; {lowest.strip()}")
    say(f"       works in an empty environment, with all it needs {size / 1e6:.0f} MB")
    if size > LARGEST:
        sys.exit(f"portable: an installed paucal must not take more than {LARGEST / 1e6:.0f} MB")


def kernel_units(target: str) -> list[Unit]:
    """Every source file of the kernel but the bindings.

    The hot loops are compiled once for each instruction set, as in CMakeLists.txt.
    """
    folders = ("data", "math", "tests", "ask", "graphs")
    levels = LEVELS if target.startswith("x86_64") else {"portable": LEVELS["portable"]}
    chosen = ["-DPAUCAL_X86_LEVELS"] if len(levels) > 1 else []
    sources = [file for folder in folders for file in sorted((KERNEL / folder).glob("*.cpp"))]
    units: list[Unit] = [
        (file, f"{file.parent.name}-{file.stem}", chosen) for file in [*sources, KERNEL / "isa" / "isa.cpp"]
    ]
    for level, (loops, flags) in levels.items():
        told = [f"-DPAUCAL_ISA={level}", "-fno-trapping-math", "-Wno-psabi", *flags]
        units += [(file, f"{file.stem}-{level}", told) for file in sorted((KERNEL / "isa").glob(loops))]
    return units


def compile_all(python: Path, target: str, units: list[Unit], flags: list[str]) -> list[Path]:
    """Compile source files for one target, two at a time; the object files."""
    folder = WORK / "objects" / target
    folder.mkdir(parents=True, exist_ok=True)
    compiler: list[str | Path] = [python, "-m", "ziglang", "c++", "-target", target, *FLAGS, *flags]

    def compile_one(unit: Unit) -> Path:
        source, name, own = unit
        made = folder / f"{name}.o"
        run(*compiler, *own, "-c", source, "-o", made, ZIG_GLOBAL_CACHE_DIR=str(WORK / "zig"))
        return made

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(compile_one, units))


def check_compilers(python: Path) -> None:
    """Compile the kernel for other systems, every warning an error."""
    for target in TARGETS:
        begin = time.perf_counter()
        objects = compile_all(python, target, kernel_units(target), ["-O0", "-Werror"])
        say(f"compile: {target}: {len(objects)} files without a warning, {time.perf_counter() - begin:.0f} s")


def arm64_python() -> tuple[list[str], str]:
    """Unpack Debian's Python for ARM64 into a folder of its own; the command that runs it, and its version."""
    root = WORK / "arm64"
    found = sorted(root.glob("usr/bin/python3.*[0-9]"))
    if not found:
        for folder in ("state/lists/partial", "cache/archives/partial", "packages"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        (root / "state" / "status").touch()
        options = [
            f"-oDir::State={root}/state", f"-oDir::State::status={root}/state/status", f"-oDir::Cache={root}/cache",
            "-oAPT::Architecture=arm64", "-oAPT::Architectures=arm64", "-oAPT::Sandbox::User=root",
        ]  # fmt: skip
        run("apt-get", *options, "update")
        fetch = ("install", "--yes", "--download-only", "--no-install-recommends")
        run("apt-get", *options, *fetch, "python3", "libstdc++6")
        for package in sorted((root / "cache" / "archives").glob("*.deb")):
            run("dpkg-deb", "--extract", package, root)
        found = sorted(root.glob("usr/bin/python3.*[0-9]"))
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if qemu is None:
        sys.exit("portable: qemu-user is missing (Debian/Ubuntu: apt install qemu-user-static)")
    return [qemu, "-L", str(root), str(found[-1])], found[-1].name.removeprefix("python")


def check_arm64(python: Path) -> None:
    """Run the module for ARM64 and compare its bits with those of the installed one."""
    command, version = arm64_python()
    packages = WORK / "arm64-packages"
    shutil.rmtree(packages, ignore_errors=True)
    platforms = [f"--platform=manylinux_{version}_aarch64" for version in ("2_28", "2_27", "2_17")]
    wanted = ("numpy", "nanobind-backend", "narwhals", "joblib", "click", "rich", "jinja2")
    options = ["--only-binary=:all:", "--python-version", version, *platforms]
    run(python, "-m", "pip", "install", "--quiet", "--target", packages, *options, *wanted)
    begin = time.perf_counter()
    nanobind = Path(run(python, "-c", "import nanobind; print(nanobind.include_dir())").strip()).parent
    # The bindings share nanobind's compiled part through libstdc++, which this compiler does not have: here they bring
    # it along. The kernel is the same.
    bound = [*sorted((KERNEL / "bind").glob("*.cpp")), nanobind / "src" / "nb_combined.cpp"]
    places = [nanobind / "include", nanobind / "ext" / "robin_map" / "include", sysconfig.get_path("include")]
    seen = ["-fno-strict-aliasing", "-DNDEBUG", *(f"-I{place}" for place in places)]
    # This compiler would take these functions from a library of its own, which rounds otherwise. Wheels take them from
    # the system, and so does code that asks for them by their version.
    system = WORK / "system.h"
    system.write_text("".join(f'__asm__(".symver {name},{name}@GLIBC_2.17");\n' for name in OF_THE_SYSTEM))
    flags = ["-O3", "-fPIC", "-fvisibility=hidden", "-include", str(system)]
    kernel = compile_all(python, ARM64, kernel_units(ARM64), [*flags, "-Werror"])
    objects = [*kernel, *compile_all(python, ARM64, [(file, f"bind-{file.stem}", seen) for file in bound], flags)]
    shutil.copytree(ROOT / "src" / "paucal", packages / "paucal")
    module = packages / "paucal" / "_kernel.so"
    run(python, "-m", "ziglang", "c++", "-target", ARM64, "-shared", "-o", module, *objects, "-lm")
    say(f"arm64: module built in {time.perf_counter() - begin:.0f} s")
    here = run(sys.executable, BITS)
    there = run(*command, BITS, PYTHONPATH=str(packages))
    if here != there:
        sys.exit(f"portable: ARM64 gives other bits.\nhere:\n{here}\nthere:\n{there}")
    say(f"arm64: Python {version} under {Path(command[0]).name}: the same bits in {len(here.splitlines())} comparisons")


def main() -> None:
    """Run the parts that were named, or all."""
    parts = {"wheel": check_wheel, "compile": check_compilers, "arm64": check_arm64}
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", choices=[*parts, []], help="which parts (all)")
    chosen = parser.parse_args().parts or list(parts)
    WORK.mkdir(parents=True, exist_ok=True)
    python = tool_environment()
    for part in chosen:
        parts[part](python)


if __name__ == "__main__":
    main()
