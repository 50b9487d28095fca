from firmware_host.gestures import BUTTONS, Gestures


def test_a_button_without_a_long_meaning_acts_at_once():
    gestures = Gestures()
    assert gestures.press("take_back", 1.0) == ["take back"]
    assert gestures.release("take_back", 9.0) == []


def test_a_short_press_of_a_button_with_a_long_meaning_acts_on_release():
    gestures = Gestures()
    assert gestures.press("pass", 1.0) == []
    assert gestures.held == {"retire"}
    assert gestures.wake_s == 4.0
    assert gestures.release("pass", 1.4) == ["pass"]
    assert gestures.held == frozenset()


def test_a_hold_acts_once_while_the_button_is_down():
    gestures = Gestures()
    gestures.press("shutdown", 1.0)
    assert gestures.pass_time(3.9) == []
    assert gestures.pass_time(4.0) == ["shut down"]
    assert gestures.pass_time(9.0) == []
    assert gestures.wake_s is None
    assert gestures.release("shutdown", 9.5) == []


def test_a_release_nobody_waited_for_completes_the_hold():
    gestures = Gestures()
    gestures.press("new", 1.0)
    assert gestures.release("new", 5.0) == ["new game"]


def test_a_hint_lasts_as_long_as_the_button_is_down():
    gestures = Gestures()
    assert gestures.press("hint", 1.0) == ["hint"]
    assert gestures.release("hint", 2.0) == ["hint ends"]


def test_unknown_buttons_and_lone_releases_mean_nothing():
    gestures = Gestures()
    assert gestures.press("lever", 1.0) == []
    assert gestures.release("lever", 1.1) == []
    assert gestures.release("pass", 2.0) == []
    assert set(BUTTONS) == {"pass", "take_back", "hint", "new", "confirm", "shutdown"}
