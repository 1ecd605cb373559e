"""Colours of parts of the time, by names that the style sheet of the page explains."""

_PART_STYLES = {
    "computation": "k0",
    "point-to-point": "k1",
    "collective": "k2",
    "barrier": "k3",
    "initialise/finalise": "k4",
    "I/O": "k5",
    "put/get": "k6",
    "lock": "k7",
    "wait": "k7",
    "condition": "k7",
    "fork/join": "k8",
    "idle threads": "k8",
    "process/thread management": "k4",
    "waiting": "w",
    "waiting beyond the reference": "w2",
}
_OTHER = "k9"


def style_of(part: str) -> str:
    """The style of a part by its name before any comma; all others look alike."""
    return _PART_STYLES.get(part.partition(",")[0], _OTHER)
