"""Small drawings as SVG, readable without colour and by a screen reader; nothing is loaded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import escape

WIDTH, HEIGHT = 360, 200
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 24, 24
TICKS = 4
LEAST_SPAN = 1e-9
BAR = 11
GROUP_GAP = 9
NAME_HEIGHT = 14


@dataclass(frozen=True, slots=True)
class Series:
    """Values along the horizontal axis.

    Attributes:
        name: For people; empty where the drawing has one series.
        values: One a position.
        style: The classes that draw it ("one", "two", "three", "ahead").
        start: The position of the first value.
    """

    name: str
    values: Sequence[float]
    style: str = "one"
    start: int = 0


@dataclass(frozen=True, slots=True)
class Band:
    """An interval along the horizontal axis."""

    low: Sequence[float]
    high: Sequence[float]
    start: int = 0


def draw_lines(
    name: str,
    title: str,
    description: str,
    series: Sequence[Series],
    marks: Sequence[tuple[int, str]],
    band: Band | None = None,
    top: float = 0.0,
) -> str:
    """Return lines over positions, with an interval behind them.

    Args:
        name: Unique within the page.
        title: What is drawn.
        description: What can be seen, for who cannot see it.
        series: The lines.
        marks: Position → text below the axis.
        band: The interval.
        top: What the vertical axis reaches at least.
    """
    everything = [top, *(value for each in series for value in each.values)]
    everything += [*band.low, *band.high] if band else []
    length = max([each.start + len(each.values) for each in series] or [1])
    length = max(length, band.start + len(band.high) if band else 0)
    low = min([0.0, *everything])
    high = low + _span(low, max([0.0, *everything]))
    scale = _Scale(low, high, max(length - 1, 1))
    parts = [*_axis(scale), *(_mark(scale, at, text) for at, text in marks)]
    if band:
        upper = _points(scale, band.high, band.start)
        lower = _points(scale, band.low, band.start)
        parts.append(f'<polygon class="band" points="{" ".join([*upper, *lower[::-1]])}"/>')
    for each in series:
        points = " ".join(_points(scale, each.values, each.start))
        parts.append(f'<polyline class="line {each.style}" points="{points}"/>')
    parts += _legend(series)
    return _svg(name, title, description, HEIGHT, parts)


def draw_bars(
    name: str,
    title: str,
    description: str,
    groups: Sequence[str],
    series: Sequence[Series],
) -> str:
    """Return horizontal bars, one a series in each group, from a line at zero.

    Args:
        name: Unique within the page.
        title: What is drawn.
        description: What can be seen, for who cannot see it.
        groups: The names of the groups.
        series: A value a group each.
    """
    everything = [value for each in series for value in each.values]
    low, high = min([0.0, *everything]), max([0.0, *everything])
    span = _span(low, high)
    room = WIDTH - 2 * RIGHT
    zero = RIGHT - low / span * room
    each_group = NAME_HEIGHT + BAR * len(series) + GROUP_GAP
    top = NAME_HEIGHT + 8
    parts = [*_legend(series)]
    for index, group in enumerate(groups):
        y = top + index * each_group
        parts.append(f'<text x="{RIGHT}" y="{y + 10}">{escape(group)}</text>')
        for number, one in enumerate(series):
            value = one.values[index]
            x = zero + min(value, 0.0) / span * room
            length = max(abs(value) / span * room, 0.5)
            place = f'x="{x:.1f}" y="{y + NAME_HEIGHT + number * BAR}"'
            size = f'width="{length:.1f}" height="{BAR - 2}"'
            parts.append(f'<rect class="{one.style}" {place} {size}/>')
    height = top + each_group * len(groups)
    parts.append(f'<path class="axis" d="M{zero:.1f} {top}V{height}"/>')
    parts.append(_text(zero, height + 12, "0", "middle"))
    parts.append(_text(WIDTH - RIGHT, height + 12, shorten(high), "end") if high > 0 else "")
    parts.append(_text(RIGHT, height + 12, shorten(low), "start") if low < 0 else "")
    return _svg(name, title, description, height + 20, parts)


def shorten(value: float) -> str:
    """Return a number short enough for an axis ("12k", "3.4M")."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{unit}"
    return f"{value:.3g}"


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    last: int

    def x(self, position: int) -> float:
        return LEFT + position / self.last * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def _axis(scale: _Scale) -> Iterator[str]:
    for value in _ticks(scale.low, scale.high):
        y = scale.y(value)
        yield f'<path class="axis" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield _text(LEFT - 4, y + 4, shorten(value), "end")


def _span(low: float, high: float) -> float:
    """Return the length of an axis; one of nothing, or of rounding errors, is 1 long."""
    return high - low if high - low > LEAST_SPAN else 1.0


def _ticks(low: float, high: float) -> list[float]:
    """Return round values between two numbers."""
    span = _span(low, high)
    power = 10 ** math.floor(math.log10(span / TICKS))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= TICKS)
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]


def _mark(scale: _Scale, position: int, text: str) -> str:
    x = scale.x(position)
    anchor = "middle"
    if x > WIDTH - 40:
        anchor = "end"
    elif x < LEFT + 20:
        anchor = "start"
    return _text(x, HEIGHT - 8, text, anchor)


def _points(scale: _Scale, values: Sequence[float], start: int) -> list[str]:
    return [
        f"{scale.x(start + index):.1f},{scale.y(value):.1f}" for index, value in enumerate(values)
    ]


def _legend(series: Sequence[Series]) -> Iterator[str]:
    named = [each for each in series if each.name]
    x = RIGHT
    for each in named:
        style = each.style.partition(" ")[0]
        yield f'<rect class="{style}" x="{x}" y="4" width="10" height="8"/>'
        yield _text(x + 14, 12, each.name, "start")
        x += len(each.name) * 6 + 26


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(name: str, title: str, description: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg role="img" viewBox="0 0 {WIDTH} {height:g}" '
        f'aria-labelledby="{name}-title {name}-what">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-what">{escape(description)}</desc>{"".join(parts)}</svg>'
    )
