"""The recording format: write side (`write`, standard library only), read side, index and tail."""
