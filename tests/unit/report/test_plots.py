from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidegate.report.plots import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    WIDTH,
    Band,
    Series,
    draw_bars,
    draw_lines,
    shorten,
)

amounts = st.floats(-1e9, 1e9)


def points(line: ET.Element) -> list[tuple[float, float]]:
    return [
        (float(x), float(y)) for x, y in (pair.split(",") for pair in line.attrib["points"].split())
    ]


def test_lines_run_from_edge_to_edge_with_more_above_less():
    svg = ET.fromstring(draw_lines("p", "Use", "It grows.", [Series("", [0, 5, 10])], [(0, "a")]))
    (line,) = svg.iter("polyline")
    found = points(line)
    assert (found[0][0], found[-1][0]) == (LEFT, WIDTH - RIGHT)
    assert found[0][1] > found[1][1] > found[2][1]


def test_nothing_at_all_is_drawn_at_the_bottom():
    svg = ET.fromstring(draw_lines("p", "t", "d", [Series("", [0, 0])], []))
    (line,) = svg.iter("polyline")
    assert {y for _, y in points(line)} == {HEIGHT - BOTTOM}


def test_the_interval_goes_up_one_side_and_down_the_other():
    band = Band([1, 2], [3, 4], start=1)
    svg = ET.fromstring(draw_lines("p", "t", "d", [Series("", [1, 1])], [], band))
    (area,) = svg.iter("polygon")
    found = points(area)
    assert len(found) == 4
    assert found[0][0] == found[3][0]
    assert found[0][1] < found[3][1]


def test_drawings_say_what_they_show_to_who_cannot_see_them():
    text = draw_lines("p", "A < B", "It's 5 & more.", [Series("", [1])], [])
    svg = ET.fromstring(text)
    assert svg.attrib["role"] == "img"
    names = svg.attrib["aria-labelledby"].split()
    assert [each.text for each in svg if each.attrib.get("id") in names] == [
        "A < B",
        "It's 5 & more.",
    ]


def test_bars_of_losses_and_gains_stand_on_both_sides_of_zero():
    svg = ET.fromstring(draw_bars("p", "t", "d", ["one", "two"], [Series("s", [-10, 20])]))
    _, loss, gain = svg.iter("rect")  # the first is the legend's
    assert float(loss.attrib["x"]) < float(gain.attrib["x"])
    assert float(gain.attrib["width"]) == pytest.approx(2 * float(loss.attrib["width"]), abs=0.2)


@given(st.lists(amounts, min_size=1, max_size=40))
@example([5e-324])
@example([0.0])
def test_every_point_of_every_line_is_inside_of_the_drawing(values):
    svg = ET.fromstring(draw_lines("p", "t", "d", [Series("", values)], []))
    (line,) = svg.iter("polyline")
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points(line))


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (950, "950"), (1234, "1.23k"), (-2.5e6, "-2.5M"), (3e9, "3G")]
)
def test_numbers_on_axes_are_short(value, text):
    assert shorten(value) == text
