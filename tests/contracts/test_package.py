"""The package declaration names every folder of code."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_folder_with_modules_is_a_declared_package() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {module.parent for module in (ROOT / "pipeline").rglob("*.py")}
    names = {
        ".".join(("tracemill", *each.relative_to(ROOT / "pipeline").parts)) for each in folders
    }
    names |= {"tracemill.schemas", "tracemill.queries"}
    assert sorted(names) == declared["tool"]["setuptools"]["packages"]
    assert all((folder / "__init__.py").exists() for folder in folders)
