"""BLOKUS_TABLE_NO_SKIPS=1 turns skipped tests into failures, and nothing else does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

REASONS = ("no harp here", "no lute here", "no_drum_here")
MODULES = {
    "test_by_mark.py": """
        import pytest
        @pytest.mark.skipif(True, reason="no harp here")
        def test_harp(): pass
        def test_without(): pass
    """,
    "test_by_call.py": """
        import pytest
        def test_lute(): pytest.skip("no lute here")
    """,
    "test_by_module.py": """
        import pytest
        pytest.importorskip("no_drum_here")
        def test_drum(): pass
    """,
    "test_expected.py": """
        import pytest
        @pytest.mark.xfail(reason="not yet")
        def test_later(): assert False
    """,
}


def run(directory: Path, no_skips: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(Path(__file__).with_name("conftest.py"), directory)
    for name, text in MODULES.items():
        (directory / name).write_text(textwrap.dedent(text))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-ra",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
    ]
    return subprocess.run(
        [*command, "--rootdir", directory, directory],
        env=os.environ | {"BLOKUS_TABLE_NO_SKIPS": no_skips},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_machine_that_lacks_parts_skips_their_tests(tmp_path: Path):
    done = run(tmp_path, "")
    assert done.returncode == 0
    assert "1 passed, 3 skipped, 1 xfailed" in done.stdout


def test_where_nothing_may_be_skipped_each_skip_is_a_failure_with_its_reason(tmp_path: Path):
    done = run(tmp_path, "1")
    assert done.returncode != 0
    assert (
        "1 failed, 1 passed, 1 xfailed, 2 errors" in done.stdout
    )  # pytest counts an early failure as an error
    assert all(f"{reason} (BLOKUS_TABLE_NO_SKIPS=1" in done.stdout for reason in REASONS[:2])
    assert f"{REASONS[2]}' (BLOKUS_TABLE_NO_SKIPS=1" in done.stdout  # pytest quotes the module
