"""Whole games of simulated clumsy hands in virtual time: some of what `blokus-table bench hands` plays."""

from firmware_host.bench_hands import FAULTS, Case, measure, play


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


def test_the_figures_name_every_kind_of_game(monkeypatch):
    from firmware_host import bench_hands

    monkeypatch.setattr(bench_hands, "run", lambda games: play(games[0]) if games[0].number == 0 else None)
    monkeypatch.setattr(bench_hands, "RUNS", (("calm", "none"),))
    names = [figure.name for figure in measure(1)]
    assert names[:2] == ["calm: placements", "calm: false commits"]
    assert len(names) == 7
