"""The family of this package's errors."""

from __future__ import annotations


class HostError(Exception):
    """Base of every error of this package; each also inherits a builtin. The message is one clear line."""
