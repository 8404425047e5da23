"""The metrics of the three-file example."""

import logging

logger = logging.getLogger(__name__)


def report(y):
    shifted = y - y.mean()
    logger.info("centred %d scores", y.shape[0])
    return shifted
