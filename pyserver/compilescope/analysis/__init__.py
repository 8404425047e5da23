"""From a recording to findings, graphs, passes and metrics. Pure: reads recordings, changes nothing."""

from compilescope.analysis.analyse import analyse

__all__ = ["analyse"]
