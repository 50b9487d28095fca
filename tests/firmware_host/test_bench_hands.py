"""Whole games of simulated clumsy hands in virtual time: some of what `blokus-table bench hands` plays."""

import pytest

from firmware_host import bench_hands_run
from firmware_host.bench_hands import FAULTS, Case, cases, play
from firmware_host.bench_hands_run import measure, run
from firmware_host.tally import Tally


def test_clumsy_hands_are_read_without_a_false_commit():
    games = [play(Case("clumsy", "none", number)) for number in range(2)]
    assert [tally.trouble for tally in games] == [[]] * 2
    assert sum(tally.false for tally in games) == 0
    assert sum(tally.finished for tally in games) == 2
    assert sum(tally.placements for tally in games) > 60


def test_a_game_follows_from_its_number_alone():
    assert play(Case("calm", "none", 7)) == play(Case("calm", "none", 7))


def test_a_broken_sensor_makes_no_false_commit():
    for fault in FAULTS[1:]:
        tally = play(Case("clumsy", fault, 2))
        assert tally.false == 0, (fault, tally.trouble)


def test_the_figures_name_every_kind_of_game(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(bench_hands_run, "RUNS", (("calm", "none"), ("calm", "stuck on")))
    figures = measure(1)
    names = [figure.name for figure in figures]
    assert names[:2] == ["calm: placements", "calm: false commits"]
    assert names[7:9] == ["calm, one sensor stuck on: placements", "calm, one sensor stuck on: false commits"]
    assert len(names) == 14
    assert figures[0].value > 10


@pytest.fixture
def counted(monkeypatch):
    """Games that are not played: those that would be, in order."""
    played = []

    def note(case):
        played.append(case.number)
        return Tally(games=1, laid=case.number)

    monkeypatch.setattr(bench_hands_run, "play", note)
    return played


def test_a_run_that_was_ended_goes_on_where_it_was(counted, tmp_path, capsys):
    keep = tmp_path / "cache" / "hands.jsonl"
    run(cases("calm", "none", 0, 3), processes=1, keep=keep)
    keep.write_bytes(keep.read_bytes()[:-5])  # the power went while the last was written
    games = run(cases("calm", "none", 0, 5), processes=1, keep=keep)
    assert counted == [0, 1, 2, 2, 3, 4]
    assert [games[case].laid for case in cases("calm", "none", 0, 5)] == [0, 1, 2, 3, 4]
    assert capsys.readouterr().err.splitlines() == ["3 of 3 games", "3 of 3 games"]
    run(cases("calm", "none", 0, 6), processes=1, keep=keep)
    assert counted[6:] == [5]


def test_games_of_other_code_are_played_again(counted, tmp_path, monkeypatch):
    keep = tmp_path / "hands.jsonl"
    run(cases("calm", "none", 0, 2), processes=1, keep=keep)
    monkeypatch.setattr(bench_hands_run, "fingerprint", lambda: "other")
    run(cases("calm", "none", 0, 2), processes=1, keep=keep)
    assert counted == [0, 1, 0, 1]


def test_it_is_all_the_same_how_many_processes_play():
    two = cases("calm", "none", 1, 2)
    assert run(two, processes=2) == run(two, processes=1)
