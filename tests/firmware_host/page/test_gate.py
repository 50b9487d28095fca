import random

import pytest

from firmware_host.page.gate import (
    CODE_S,
    LOCK_S,
    MOST_KEYS,
    TRIES,
    Gate,
    GateError,
    cookie_for,
    cookie_of,
    host_name,
)


@pytest.fixture
def gate():
    return Gate(["localhost", "Table.local"], random.Random(1))


def wrong(code):
    return f"{(int(code) + 1) % 10_000:04}"


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("table.local:8080", "table.local"),
        ("TABLE.local", "table.local"),
        ("10.0.0.5:80", "10.0.0.5"),
        ("[fe80::1]:8080", "fe80::1"),
        ("[::1]", "::1"),
    ],
)
def test_the_name_in_a_host_header(host, name):
    assert host_name(host) == name


@pytest.mark.parametrize("host", ["localhost", "localhost:8080", "TABLE.local:80", "10.0.0.5:8080"])
def test_a_browser_that_calls_the_table_by_its_name_is_let_in(gate, host):
    assert gate.lets_in(host, "10.0.0.5")


@pytest.mark.parametrize("host", [None, "", "evil.example", "evil.example:80", "10.0.0.6", "localhost.evil"])
def test_another_name_that_points_at_the_table_is_not(gate, host):
    assert not gate.lets_in(host, "10.0.0.5")


def test_only_a_page_of_ours_may_open_a_websocket(gate):
    assert gate.trusts("http://localhost:8080", "localhost:8080")
    for origin in (None, "null", "http://localhost:80", "http://evil.example", "https://localhost:8080"):
        assert not gate.trusts(origin, "localhost:8080")
    assert not gate.trusts("http://localhost", None)


def test_who_knows_the_code_is_paired_and_stays_so(gate):
    token = gate.pair(gate.show_code(0.0), 1.0)
    assert gate.knows(token)
    assert Gate([], random.Random(2), gate.keys).knows(token)
    assert token not in gate.keys
    gate.forget(token)
    assert not gate.knows(token)


def test_nobody_is_paired_without_a_token(gate):
    for token in (None, "", "0" * 64):
        assert not gate.knows(token)


def test_a_code_is_good_once(gate):
    code = gate.show_code(0.0)
    gate.pair(code, 1.0)
    with pytest.raises(GateError, match="ask for a new one"):
        gate.pair(code, 2.0)


def test_a_code_stays_on_show_and_is_over_after_a_while(gate):
    code = gate.show_code(0.0)
    assert gate.show_code(CODE_S - 1) == code
    with pytest.raises(GateError, match="over"):
        gate.pair(code, CODE_S)
    assert gate.show_code(CODE_S) != code


def test_guessing_is_slow_and_gets_slower(gate):
    t_s = 0.0
    for lock_s in (LOCK_S, 2 * LOCK_S, 4 * LOCK_S):
        code = gate.show_code(t_s)
        for _ in range(TRIES - 1):
            with pytest.raises(GateError, match="not the code"):
                gate.pair(wrong(code), t_s)
        with pytest.raises(GateError, match=f"wait {int(lock_s) + 1} s"):
            gate.pair(wrong(code), t_s)
        for late in (gate.show_code, lambda t, code=code: gate.pair(code, t)):
            with pytest.raises(GateError, match="too many"):
                late(t_s + lock_s - 1)
        t_s += lock_s
    gate.pair(gate.show_code(t_s), t_s)
    for _ in range(TRIES - 1):  # who is right is forgiven
        with pytest.raises(GateError):
            gate.pair(wrong(gate.show_code(t_s)), t_s)
    with pytest.raises(GateError, match=f"wait {int(LOCK_S) + 1} s"):
        gate.pair(wrong(gate.show_code(t_s)), t_s)


def test_the_browser_not_seen_for_longest_is_forgotten(gate):
    tokens = [gate.pair(gate.show_code(0.0), 0.0) for _ in range(MOST_KEYS)]
    assert gate.knows(tokens[0])
    gate.pair(gate.show_code(0.0), 0.0)
    assert gate.knows(tokens[0])
    assert not gate.knows(tokens[1])


def test_the_cookie_comes_back():
    header = cookie_for("abc")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(header.split("; "))
    assert cookie_of(f"other=1; {header.split(';')[0]}; third=") == "abc"
    assert cookie_of("other=1") is None
    assert cookie_of(None) is None
