"""Role and paradigm of a region by its name, if the trace does not define them."""

import re

_PARADIGMS = (
    (r"P?MPI_\w", "mpi"), (r"!\$omp |omp_\w", "openmp"), (r"pthread_\w", "pthread"),
    (r"cuda[A-Z]|cu[A-Z]", "cuda"), (r"hip[A-Z]", "hip"), (r"shmem_\w", "shmem"),
    (r"gaspi_\w", "gaspi"),
)  # fmt: skip
_ROLES = {
    "mpi": (
        (r"I?barrier(_init)?$", "barrier"),
        (r"I?(bcast|scatterv?)(_init)?$", "coll_one2all"),
        (r"I?(gatherv?|reduce)(_init)?$", "coll_all2one"),
        (r"I?(neighbor_)?(all\w+|reduce_scatter\w*)(_init)?$", "coll_all2all"),
        (r"I?(scan|exscan)(_init)?$", "coll_other"),
        (r"alloc_mem|free_mem", "function"),
        (r"(win_|r?put|r?get$|r?get_acc|r?acc|fetch_and|compare_and)", "rma"),
        (r"file_", "file_io"),
        (r"(i?[bsr]?send|i?m?recv|sendrecv|i?m?probe|wait|test|start|request|cancel)",
         "point2point"),
    ),
    "openmp": (
        (r"!\$omp parallel", "parallel"), (r"!\$omp implicit barrier", "implicit_barrier"),
        (r"!\$omp barrier", "barrier"), (r"!\$omp (for|do)\b", "loop"),
        (r"!\$omp sections", "sections"), (r"!\$omp section", "section"),
        (r"!\$omp single", "single"), (r"!\$omp master", "master"),
        (r"!\$omp critical", "critical"), (r"!\$omp atomic", "atomic"),
        (r"!\$omp ordered", "ordered"), (r"!\$omp flush", "flush"),
        (r"!\$omp taskwait", "task_wait"), (r"!\$omp create task", "task_create"),
        (r"!\$omp task", "task"),
    ),
}  # fmt: skip


def kind_of(name: str) -> tuple[str, str]:
    """Role and paradigm of a region, as Score-P defines them."""
    for pattern, paradigm in _PARADIGMS:
        if re.match(pattern, name):
            short = re.sub(r"^P?MPI_", "", name) if paradigm == "mpi" else name
            for role_pattern, role in _ROLES.get(paradigm, ()):
                if re.match(role_pattern, short, re.IGNORECASE):
                    return role, paradigm
            return "function", paradigm
    return "function", "user"
