"""From a recording to findings, graphs, passes and metrics. Pure: reads recordings, changes nothing."""
