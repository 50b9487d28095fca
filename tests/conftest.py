import os

import pytest
from hypothesis import settings

settings.register_profile("table", derandomize=True, deadline=None)
settings.load_profile("table")

# A test that needs a part which the machine lacks is skipped and says so. Where every part is meant to be
# there, as in CI, BLOKUS_TABLE_NO_SKIPS=1 makes such a test fail.
NO_SKIPS = os.environ.get("BLOKUS_TABLE_NO_SKIPS") == "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return fail_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return fail_if_skipped((yield))


def fail_if_skipped(report):
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        *_, reason = report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason} (BLOKUS_TABLE_NO_SKIPS=1: nothing may be skipped)"
    return report
