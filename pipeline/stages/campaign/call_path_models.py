"""Models of the time of each call path over processes and size: normal forms."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tracemill.schemas.surfaces import CALL_PATH_MODELS, REJECTED
from tracemill.stages.arrays import Relation, read_columns
from tracemill.stages.campaign.rows import Row, known, rows_as_table
from tracemill.stages.stage import PythonStage

if TYPE_CHECKING:
    from tracemill.stages.models.surfaces.normal_form import NormalForm
    from tracemill.stages.models.surfaces.normal_form_terms import Factor

_NS = 1e-9
_COLUMNS = (
    "application",
    "call_path_key",
    "largest_share_ratio",
    "coalesce(noise_ratio, 'nan')",
    "processes::DOUBLE",
    "size",
    "time_per_process_ns",
)


def model_call_paths(campaign_settings: Relation, call_path_times: Relation) -> pa.Table:
    """Find the normal form of every call path's times, in seconds per process."""
    from tracemill.stages.models.surfaces.choice import judge
    from tracemill.stages.models.surfaces.measurements import UndeterminedError
    from tracemill.stages.models.surfaces.normal_forms import NormalForms

    size_names = dict(campaign_settings.select("application, size_name").fetchall())
    ordered = call_path_times.order("application, call_path_key, size, processes")
    application, key, share, noises, *columns = read_columns(ordered, *_COLUMNS)
    is_first = np.ones(len(key), np.bool_)
    is_first[1:] = (key[1:] != key[:-1]) | (application[1:] != application[:-1])
    firsts = np.flatnonzero(is_first).tolist()
    forms = NormalForms()
    rows: list[Row] = []
    for first, end in pairwise([*firsts, len(key)]):
        processes, sizes, times = (column[first:end] for column in columns)
        name, noise = str(application[first]), known(noises[first])
        start = (name, int(key[first]), float(share[first]), end - first, int(processes.min()))
        try:
            form = forms.fit(processes, sizes, times * _NS)
        except UndeterminedError as error:
            rows.append((*start, *[None] * 10, noise, None, False, str(error)))
        else:
            verdict = judge(form.cross_error, noise)
            described = *_describe(form, size_names[name]), noise, verdict
            rows.append((*start, *described, verdict != REJECTED, None))
    return rows_as_table(CALL_PATH_MODELS, rows)


def _describe(form: "NormalForm", size_name: str) -> Row:
    return (
        form.formula(size_name),
        form.parameter_count,
        *_describe_factor(form.leading_in_processes, "p"),
        *_describe_factor(form.leading_in_size, size_name),
        form.error,
        form.cross_error,
    )


def _describe_factor(factor: "Factor | None", name: str) -> Row:
    from tracemill.stages.models.surfaces.normal_form_terms import write_factor

    if factor is None:
        return None, None, None
    return write_factor(factor, name), float(factor.power), factor.log


CALL_PATH_MODELS_STAGE = PythonStage(
    name="call_path_models", outputs=(CALL_PATH_MODELS,), compute=model_call_paths
)
