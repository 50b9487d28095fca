"""What the bench makes of figures, and that there is something to measure. No budget is asserted here."""

import io
import json
from importlib import import_module

import pytest
from click.testing import CliRunner
from rich.console import Console

from firmware_host import bench, bench_daemon, bench_engine, bench_latency, bench_leds
from firmware_host.bench_figures import Figure, percentile
from firmware_host.bench_table import BenchError, random_game, record
from firmware_host.cli import main
from firmware_host.journal import read_game, read_games
from firmware_host.replay import replay

FOUND = {
    "engine": [Figure("play", 30.0, "us", 60.0), Figure("games", 500.0, "per s", 600.0, at_least=True)],
    "storage": [Figure("written", 100.0, "KiB")],
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "blokus-table" / "bench.json"


@pytest.fixture
def measured(monkeypatch):
    """The groups "engine" and "storage" give FOUND; nothing else may be measured."""
    asked = []

    def load(module):
        name = module.removeprefix("firmware_host.")

        class Stand:
            @staticmethod
            def measure():
                asked.append(name)
                return FOUND["engine"]

            @staticmethod
            def measure_storage():
                asked.append(name)
                return FOUND["storage"]

        return Stand

    monkeypatch.setattr(bench, "import_module", load)
    return asked


def drawn(found, before):
    out = io.StringIO()
    Console(file=out, width=120).print(bench.figures_table(found, before))
    return out.getvalue()


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([3, 1, 2], 50, 2), ([3, 1, 2], 100, 3), (range(1, 101), 99, 99), ([5], 1, 5), ([1, 2], 50, 1)],
)
def test_percentile_is_the_value_that_so_many_do_not_exceed(values, percent, expected):
    assert percentile(list(values), percent) == expected


def test_there_is_no_percentile_of_nothing():
    with pytest.raises(ValueError, match="no values"):
        percentile([], 50)


@pytest.mark.parametrize(
    ("value", "budget", "at_least", "verdict"),
    [
        (1.0, 1.0, False, "ok"),
        (1.1, 1.0, False, "over"),
        (600.0, 600.0, True, "ok"),
        (599.0, 600.0, True, "over"),
        (1.0, None, False, ""),
    ],
)
def test_a_verdict_follows_from_the_budget(value, budget, at_least, verdict):
    assert Figure("x", value, "ms", budget, at_least).verdict == verdict


def test_the_table_shows_budget_verdict_and_ratio_to_the_last_run():
    text = drawn(FOUND, {"engine": {"play": 60.0}})
    play = next(line for line in text.splitlines() if "play" in line)
    assert play.split() == ["play", "30", "us", "≤", "60", "ok", "0.50"]
    games = next(line for line in text.splitlines() if "games" in line)
    assert games.split() == ["games", "500", "per", "s", "≥", "600", "over"]


def test_a_run_is_recorded_and_groups_that_were_not_measured_keep_their_figures(cache):
    bench.record_run(cache, FOUND)
    bench.record_run(cache, {"storage": [Figure("written", 50.0, "KiB")]})
    assert bench.last_run(cache) == {
        "engine": {"play": 30.0, "games": 500.0},
        "storage": {"written": 50.0},
    }


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b'{"figures": 1}', b'{"figures": {"a": [1]}}', b"\xff"]
)
def test_a_record_of_no_use_is_no_record(cache, content):
    cache.parent.mkdir(parents=True)
    cache.write_bytes(content)
    assert bench.last_run(cache) == {}
    bench.record_run(cache, FOUND)
    assert bench.last_run(cache)["storage"] == {"written": 100.0}


def test_an_unknown_name_is_refused_before_anything_is_measured(measured):
    result = CliRunner().invoke(main, ["bench", "engine", "speed"])
    assert result.exit_code != 0
    assert "speed: no such figures; there are engine, latency" in result.output
    assert not measured


def test_the_command_prints_records_and_saves(measured, cache, tmp_path):
    saved = tmp_path / "figures.json"
    result = CliRunner().invoke(main, ["bench", "storage", "engine", "--save", str(saved)])
    assert result.exit_code == 1  # a budget is not kept
    assert "KiB" in result.output
    assert measured == ["bench_engine", "bench_daemon"]  # each once, in the table's order
    kept = json.loads(saved.read_text())["figures"]
    assert kept["engine"][1] == {
        "name": "games", "value": 500.0, "unit": "per s", "budget": 600.0, "verdict": "over",
    }  # fmt: skip
    assert bench.last_run(cache) == bench.last_run(saved)


def test_json_is_one_line_and_nothing_else(measured):
    result = CliRunner().invoke(main, ["bench", "storage", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["figures"]["storage"][0]["value"] == 100.0


def test_without_names_all_quick_groups_are_measured(monkeypatch):
    names = []
    monkeypatch.setattr(bench, "_measure", lambda chosen, _counts: names.extend(chosen) or [])
    list(bench.measure([]))
    assert names == [name for name in bench.GROUPS if bench.GROUPS[name].quick]


@pytest.mark.parametrize("name", bench.GROUPS)
def test_every_group_can_be_measured(name):
    module, function = bench.GROUPS[name].measure.split(":")
    assert callable(getattr(import_module(f"firmware_host.{module}"), function))


def test_what_is_written_for_the_bench_is_a_game_like_any_other(tmp_path):
    game = random_game(12)
    took_s = record(game, tmp_path)
    assert len(took_s) == 12
    assert all(seconds > 0 for seconds in took_s)
    kept = read_game(tmp_path, read_games(tmp_path)[0].game_id)
    assert replay(kept).history == game.history


def test_storage_is_measured_where_the_cache_lies(cache):
    from firmware_host.bench_daemon import measure_storage

    figures = {figure.name.split(",")[-1].strip(): figure for figure in measure_storage()}
    assert figures["p50"].value <= figures["p99"].value
    assert next(figure.value for figure in figures.values() if figure.unit == "KiB") > 10
    assert list(cache.parent.iterdir()) == []


def test_the_drivers_of_leds_and_contacts_are_timed(monkeypatch):
    monkeypatch.setattr(bench_leds, "CALLS", 3)
    figures = bench_leds.measure()
    assert [figure.budget for figure in figures] == [150.0] * 4 + [None]
    assert all(figure.value > 0 for figure in figures)


# sdnotify leaves its socket to the collector; in a process of its own nobody minds.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_latency_is_that_of_the_real_chain(monkeypatch):
    monkeypatch.setattr(bench_latency, "PLIES", 1)
    monkeypatch.setattr(bench_latency, "REPEATS", 1)
    monkeypatch.setattr(bench_latency, "LIGHTS_S", 0.0)
    figures = {figure.name.strip(): figure.value for figure in bench_latency.measure()}
    assert 0 < figures["of it CPU, p50"] <= figures["changed snapshot -> pixels, p99"]
    assert figures["piece still for long enough -> played and lit, p50"] > 0
    assert figures["to the last LED, rpi_ws281x, SPI"] == figures["changed snapshot -> pixels, p99"] + 28.5


def test_start_is_measured_until_the_daemon_says_so(monkeypatch):
    monkeypatch.setattr(bench_daemon, "STARTS", 1)
    cpu, wall = bench_daemon.measure_start()
    assert cpu.value > 0
    assert wall.unit == cpu.unit == "s"


def test_a_daemon_that_cannot_start_is_told(monkeypatch):
    monkeypatch.setattr(bench_daemon, "STARTS", 1)
    monkeypatch.setattr(bench_daemon, "LOOK_S", 0.02)
    monkeypatch.setattr(bench_daemon, "daemon_command", lambda _config: ["false"])
    with pytest.raises(BenchError, match="not ready"):
        bench_daemon.measure_start()


def test_the_rules_are_timed(monkeypatch):
    monkeypatch.setattr(bench_engine, "GAMES", 1)
    monkeypatch.setattr(bench_engine, "RANDOM_S", 0.01)
    assert all(figure.value > 0 for figure in bench_engine.measure())
