"""How runs of a campaign are named, found and described."""

import re
from pathlib import Path

import pytest

from tracemill.base.errors import CampaignError, MissingInputError
from tracemill.campaign.campaign import name_campaign
from tracemill.campaign.configurations import RunRecord, number_runs, repeated, special_parameters
from tracemill.campaign.description import check_description, read_fields
from tracemill.campaign.discovery import find_members, lists_runs, read_run_list
from tracemill.campaign.expressions import evaluate_expression
from tracemill.campaign.names import program_of, read_name


def traces(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "traces.otf2").touch()
    return folder


@pytest.mark.parametrize(
    ("name", "pattern", "parameters", "rest"),
    [
        ("sB_p16_n100_r2", "p{p}_n{n}_r{r}", ["processes 16", "size 100", "repetition 2"], "sB"),
        (
            "p4-cg-2",
            "p{p}-{application}-{r}",
            ["processes 4", "application cg", "repetition 2"],
            "",
        ),
        ("np8.t2", "np{p}.t{t}", ["processes 8", "threads 2"], ""),
        ("cg_p4_block32", "p{p}_block{block}", ["processes 4", "block 32"], "cg"),
        ("n1.5e6_p2", "n{n}_p{p}", ["size 1.5e6", "processes 2"], ""),
        ("sB_p16_n100_r2", "p{p}", ["processes 16"], "sB  n100_r2"),
    ],
)
def test_names_tell_parameters(name: str, pattern: str, parameters: list[str], rest: str) -> None:
    named = read_name(name, pattern)
    assert named is not None
    assert [" ".join(item) for item in named.parameters.items()] == parameters
    assert re.sub(r"[ _]+", " ", named.rest) == re.sub(r"[ _]+", " ", rest)


@pytest.mark.parametrize("name", ["sp16_n100", "p16_n100x", "p_n100", "p16", "px_n1"])
def test_a_pattern_does_not_begin_or_end_within_a_word(name: str) -> None:
    assert read_name(name, "p{p}_n{n}") is None


@pytest.mark.parametrize("pattern", ["", "p", "p{}", "p{p}_{np}", "p{p p}", "p{x", "p{p}_n}"])
def test_a_pattern_without_use_is_refused(pattern: str) -> None:
    with pytest.raises(CampaignError, match="pattern"):
        read_name("p1", pattern)


def test_traces_are_found_below_a_folder(tmp_path: Path) -> None:
    traces(tmp_path, "cg_p1_n10_r1", "deep/er/cg_p2_n10_r1", ".hidden/cg_p4_n10_r1", "other")
    found = find_members([tmp_path], "")
    assert [member.label for member in found.members] == ["cg_p1_n10_r1", "cg_p2_n10_r1"]
    assert {member.application for member in found.members} == {"cg"}
    assert [member.label for member in found.left_out] == ["other"]


def test_folders_above_tell_parameters_if_a_trace_does_not(tmp_path: Path) -> None:
    traces(tmp_path, "cg_p4_n10/scorep-1", "cg_p8_n10/scorep-1", "cg_p16_n10")
    found = find_members([tmp_path], "")
    assert [(m.label, m.parameters["processes"], m.application) for m in found.members] == [
        ("cg_p16_n10", "16", "cg"),
        ("cg_p4_n10/scorep-1", "4", "cg"),
        ("cg_p8_n10/scorep-1", "8", "cg"),
    ]


def test_a_pattern_may_join_folders(tmp_path: Path) -> None:
    traces(tmp_path, "cg-p4/n10", "cg-p4/n20/run", "n30")
    found = find_members([tmp_path], "p{p}/n{n}")
    assert [(m.label, m.parameters["size"], m.application) for m in found.members] == [
        ("cg-p4/n10", "10", "cg"),
        ("cg-p4/n20/run", "20", "cg"),
    ]


def test_links_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    elsewhere = traces(tmp_path / "elsewhere", "p2")
    folder = traces(tmp_path / "runs", "p4")
    (folder / "p8").symlink_to(elsewhere / "p2")
    (folder / "more").symlink_to(elsewhere)
    (elsewhere / "back").symlink_to(tmp_path)
    labels = sorted(member.label for member in find_members([folder], "").members)
    assert set(labels) == {"p2", "p4", "p8"}
    assert len(labels) < 10


def test_without_names_that_fit_all_traces_belong_to_it(tmp_path: Path) -> None:
    traces(tmp_path, "first", "second")
    found = find_members([tmp_path], "")
    assert [(m.label, dict(m.parameters)) for m in found.members] == [("first", {}), ("second", {})]


def test_a_given_pattern_must_fit(tmp_path: Path) -> None:
    traces(tmp_path, "first")
    with pytest.raises(CampaignError, match=r"no trace fits .* their names are first"):
        find_members([tmp_path], "p{p}")


def test_no_traces(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="no traces"):
        find_members([tmp_path], "")


def test_runs_can_be_listed(tmp_path: Path) -> None:
    listed = tmp_path / "runs.csv"
    listed.write_text("trace,p,n,compiler\na/traces.otf2,4,100,gcc\nb/traces.otf2,8,100,\n")
    assert lists_runs(listed)
    members = read_run_list(listed)
    assert [dict(member.parameters) for member in members] == [
        {"processes": "4", "size": "100", "compiler": "gcc"},
        {"processes": "8", "size": "100"},
    ]
    assert members[0].trace == tmp_path / "a/traces.otf2"


def test_cells_may_hold_anything(tmp_path: Path) -> None:
    listed = tmp_path / "runs.csv"
    listed.write_text('trace,flags\n"two\nlines/traces.otf2","-O2, ""fast"""\nb, \n', "utf-8")
    first, second = read_run_list(listed)
    assert (first.label, dict(first.parameters)) == ("two\nlines", {"flags": '-O2, "fast"'})
    assert dict(second.parameters) == {}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("trace,p\n,4\n", "line 2: no trace"),
        ('trace,p\n"a\nb",4\nc\n', "line 4: not as many"),
        ("trace,p,np\na,4,4\n", "line 1: several columns mean processes: p, np"),
        ("trace,p\na,4,5\n", "line 2: not as many"),
        ("trace,p\n", "no runs are listed"),
    ],
)
def test_a_list_that_cannot_be_used(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "runs.csv").write_text(lines)
    with pytest.raises(CampaignError, match=message):
        read_run_list(tmp_path / "runs.csv")


@pytest.mark.parametrize(
    ("expression", "size", "value"),
    [("n", 7, 7), ("n**3", 10, 1000), ("2*n^3", 10, 2000), ("n*log2(n)", 8, 24),
     ("(n + 1) / 2 - -1", 3, 3), ("sqrt(n)", 16, 4), ("1e-3*n", 1000, 1)],
)  # fmt: skip
def test_expressions_have_values(expression: str, size: float, value: float) -> None:
    assert evaluate_expression(expression, {"n": size}) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("m**3", "no m"), ("n**", "no expression"), ("__import__('os')", "cannot be computed"),
        ("n.real", "cannot be computed"), ("[n]", "cannot be computed"), ("1/0", "has no value"),
        ("log(0)", "has no value"), ("0 - n", "must be 0 or more"), ("n**9999", "has no value"),
        ("True", "cannot be computed"), ("(" * 500, "no expression"),
    ],
)  # fmt: skip
def test_expressions_that_cannot_be_used(expression: str, message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        evaluate_expression(expression, {"n": 2.0})


def test_a_campaign_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "sB.toml"
    file.write_text(
        'runs = ["a", "b*"]\npattern = "p{p}"\ncomputation_size = "n**3"\n'
        'scaling = "fixed size"\n[[failed]]\nprocesses = 64\nout_of_memory = true\n'
    )
    description = check_description(read_fields(file), str(file))
    assert (description.runs, description.pattern) == (("a", "b*"), "p{p}")
    assert description.failed[0].out_of_memory


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"patern": "p"}, "unknown field patern: fields are name, "),
        ({"scaling": "weak"}, "scaling: input should be 'fixed size', 'scaled size' or 'both'"),
        (
            {"failed": [{"processes": 0}]},
            r"failed.0.processes: .*greater than or equal to 1, not 0",
        ),
        ({"attainable_per_second": "fast"}, "attainable_per_second: .*, not 'fast'"),
    ],
)
def test_a_campaign_file_with_a_slip(given: dict[str, object], message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        check_description(given, "sB.toml")


def test_no_toml(tmp_path: Path) -> None:
    (tmp_path / "sB.toml").write_text("runs = [")
    with pytest.raises(CampaignError, match="not a TOML file"):
        read_fields(tmp_path / "sB.toml")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"processes": "many"}, "sB: processes is not a number: 'many'"),
        ({"processes": "0"}, "sB: processes cannot be 0"),
        ({"processes": "2.5"}, "sB: processes cannot be 2.5"),
        ({"size": "-1"}, "sB: size cannot be -1"),
        ({"size": "nan"}, "sB: size cannot be nan"),
    ],
)
def test_parameters_that_cannot_be(given: dict[str, str], message: str) -> None:
    with pytest.raises(CampaignError, match=re.escape(message)):
        special_parameters(given, "", "sB")


def test_any_parameter_can_be_the_size() -> None:
    numbers, others = special_parameters({"cells": "64", "processes": "4", "x": "y"}, "cells", "sB")
    assert numbers == {"size": 64, "processes": 4}
    assert others == {"x": "y"}


def test_runs_are_numbered_by_configuration() -> None:
    runs = [
        RunRecord(application="a", label=label, processes=p, size=size, repetition=r)
        for label, p, size, r in [
            ("late", 4, 10.0, 2), ("early", 4, 10.0, 1), ("large", 4, 20.0, 1), ("few", 2, 20.0, 7),
            ("again", 4, 10.0, 2),
        ]
    ]  # fmt: skip
    assert [(run.label, run.repetition) for run in number_runs(runs)] == [
        ("few", 1), ("early", 1), ("again", 2), ("late", 3), ("large", 1),
    ]  # fmt: skip
    assert [(one.label, other.label) for one, other in repeated(runs)] == [("late", "again")]


@pytest.mark.parametrize(
    ("given", "path", "name"),
    [
        ("", "/x/run set.toml", "run-set"), ("v1.2+b_c-d", "/x", "v1.2+b_c-d"), ("", "/x/sB", "sB"),
        ("", "/x/y/..", "x"), ("", "/x/v1.2.toml", "v1.2"), ("", "/x/_hidden_", "hidden"),
        ("", "/x/größe\n1", "gr-e-1"), ("", "/" + "x" * 120, "x" * 100),
        ("x" * 100, "/", "x" * 100),
    ],
)  # fmt: skip
def test_campaigns_have_names_of_folders(given: str, path: str, name: str) -> None:
    assert name_campaign(given, Path(path)) == name


@pytest.mark.parametrize("given", ["a/b", "../x", ".x", "-x", "größe", "a b", "x\n", "x" * 101])
def test_a_given_name_is_taken_as_it_is_or_refused(given: str) -> None:
    with pytest.raises(CampaignError, match="not usable for a campaign"):
        name_campaign(given, Path("/x"))


def test_a_folder_keeps_what_looks_like_a_suffix(tmp_path: Path) -> None:
    (tmp_path / "v1.2").mkdir()
    assert name_campaign("", tmp_path / "v1.2") == "v1.2"


def test_a_name_needs_letters(tmp_path: Path) -> None:
    with pytest.raises(CampaignError, match="no letters or digits for the name"):
        name_campaign("", tmp_path / "時間")


# --- Names of programs --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folders", "program"),
    [
        (("m01_late_sender",), "m01_late_sender"),
        (("01_late_sender",), "late_sender"),
        (("n_cg_S_4",), "n_cg_S"),
        (("jacobi-2", "run_07"), "jacobi"),
        (("cg", "2024-01-01", "scorep-20240101_1200"), "cg"),
        (("17",), ""),
        ((), ""),
    ],
)
def test_programs_are_called_by_what_says_most(folders: tuple[str, ...], program: str) -> None:
    assert program_of(folders) == program


def named(folder: Path) -> list[tuple[str, str, bool]]:
    members = find_members([folder], "").members
    return [(member.label, member.application, member.is_named) for member in members]


def test_names_without_parameters_keep_programs_apart(tmp_path: Path) -> None:
    assert named(traces(tmp_path / "all", "ring_1", "ring_2", "sort")) == [
        ("ring_1", "ring", False), ("ring_2", "ring", False), ("sort", "sort", False),
    ]  # fmt: skip


def test_names_of_parameters_alone_leave_it_to_folders_above(tmp_path: Path) -> None:
    assert named(traces(tmp_path / "all", "cg/p2", "cg/p4", "is/p2")) == [
        ("p2", "cg", False), ("p4", "cg", False), ("p2", "is", False),
    ]  # fmt: skip
    # Folders that keep nothing apart say nothing.
    assert named(traces(tmp_path / "one", "p2", "p4")) == [("p2", "", True), ("p4", "", True)]


def test_an_option_goes_before_all_names(tmp_path: Path) -> None:
    found = find_members([traces(tmp_path, "first", "second")], "", "cg").members
    assert {(member.application, member.is_named) for member in found} == {("cg", True)}
