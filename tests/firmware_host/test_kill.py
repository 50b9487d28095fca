"""The real daemon, killed at random moments while simulated people play: what was recorded is never missing.

The same in long: `blokus-table bench kill`.
"""

from firmware_host.bench_kill import play_through_kills


def test_a_table_killed_again_and_again_plays_its_game_to_the_end(tmp_path):
    run = play_through_kills(tmp_path, kills=10, seed=7)
    assert run.kills == 10
    assert run.plies > 40
