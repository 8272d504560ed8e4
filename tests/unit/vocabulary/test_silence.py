from __future__ import annotations

from tidegate.vocabulary.silence import Watch


def test_who_shows_nothing_new_is_silent_once_patience_is_over():
    watch = Watch(10.0)

    assert [watch.is_silent("a", second) for second in (100.0, 109.9, 110.0)] == [
        False,
        False,
        True,
    ]


def test_a_new_sign_of_life_is_waited_for_anew():
    watch = Watch(10.0)
    watch.is_silent({"renewals": 1}, 0.0)

    assert not watch.is_silent({"renewals": 2}, 10.0)
    assert not watch.is_silent({"renewals": 2}, 19.9)
    assert watch.is_silent({"renewals": 2}, 20.0)


def test_who_is_seen_for_the_first_time_is_not_silent_whatever_it_shows():
    assert not Watch(0.0).is_silent(None, 50.0)
