"""Core: what every package needs: arrays, random streams, settings, errors, safe text. It imports numpy alone."""
