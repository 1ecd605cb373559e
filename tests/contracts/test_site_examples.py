"""The examples for sites: their commands are ones that `tracemill nightly` understands."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tracemill.base.text import bytes_of, seconds_of
from tracemill.cli import app
from tracemill.cli.nightly import nightly
from tracemill.comparison import conditions
from tracemill.nightly.config import read_config

ROOT = Path(__file__).parents[2]
SITE = ROOT / "data" / "site"
GUIDE = ROOT / "docs" / "guide" / "nightly.md"
COMMAND = re.compile(r"/opt/tracemill/\.venv/bin/tracemill (nightly [^|)]*?)(?= 2>&1|\)|$)", re.M)
# What Slurm sets for the job of the example, in MB.
SLURM = {"$SLURM_CPUS_PER_TASK": "4", "$((SLURM_MEM_PER_NODE / 2))": "8192"}
EXAMPLES = ["crontab", "nightly.sbatch", "scrontab", "tracemill-nightly.service"]


def command_in(name: str) -> list[str]:
    """The words of the one command of an example, as the shell gives them."""
    text = (SITE / name).read_text(encoding="utf-8").replace("\\\n", " ")
    for variable, value in SLURM.items():
        text = text.replace(variable, value)
    (command,) = COMMAND.findall(text)
    assert "$" not in command
    return shlex.split(command)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_command_of_an_example_is_understood(name: str) -> None:
    words = command_in(name)
    function, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    assert function is nightly
    given = bound.arguments
    assert (given["source"], given["store"]) == (Path("/scratch/traces"), Path("/shared/store"))
    assert seconds_of(given["max_runtime"]) == 5 * 3_600
    if "memory_limit" in given:
        assert bytes_of(given["memory_limit"]) in (8e9, 8192e6)
    assert SITE / given["config"].name == SITE / "nightly.toml"


def test_every_example_is_tested_and_named_in_the_guide() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    others = {"nightly.toml", "tracemill-nightly.timer"}
    assert {path.name for path in SITE.iterdir()} == {*EXAMPLES, *others}
    for name in {*EXAMPLES, *others} - {"nightly.toml"}:
        assert f"(../../data/site/{name})" in guide


def test_the_configurations_of_example_and_guide_are_right(tmp_path: Path) -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(\[\[campaigns\]\].*?)```", guide, re.S)
    (tmp_path / "nightly.toml").write_text(shown)
    for path in (SITE / "nightly.toml", tmp_path / "nightly.toml"):
        config = read_config(path)
        assert config.campaigns
        assert config.applications
        for application in config.applications:
            for condition in application.fail_if:
                conditions.parse_condition(condition)


@pytest.mark.parametrize("name", ["crontab", "scrontab"])
def test_a_crontab_has_five_fields_before_its_command_and_no_percent_sign(name: str) -> None:
    lines = (SITE / name).read_text(encoding="utf-8").splitlines()
    (entry,) = [line for line in lines if line[0].isdigit()]
    assert "%" not in entry  # which cron takes for a line's end
    fields = entry.split(maxsplit=5)[:5]
    assert all(re.fullmatch(r"\*|\d+", field) for field in fields)


def test_options_of_the_job_are_those_that_the_night_is_given() -> None:
    text = (SITE / "scrontab").read_text(encoding="utf-8")
    options = dict(re.findall(r"^#SCRON --([a-z-]+)=(\S+)$", text, re.M))
    words = command_in("scrontab")
    assert words[words.index("--threads") + 1] == options["cpus-per-task"]
    assert bytes_of(words[words.index("--memory-limit") + 1]) * 2 == bytes_of(options["mem"] + "B")


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_the_script_of_the_array_is_a_script() -> None:
    subprocess.run(["bash", "-n", SITE / "nightly.sbatch"], check=True)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd")
def test_systemd_has_nothing_against_service_and_timer(tmp_path: Path) -> None:
    for name in ("tracemill-nightly.service", "tracemill-nightly.timer"):
        text = (SITE / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(
            text.replace("/opt/tracemill/.venv/bin/tracemill", "/bin/true")
        )
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / "tracemill-nightly.timer"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
