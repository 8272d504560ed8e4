"""Cloud Logging's query language, as far as sinks, exclusions and metrics use it.

Comparisons (`=`, `!=`, `:`, `=~`, `!~`, `<` …) over dotted fields, AND, OR, NOT and "-",
parentheses, bare words, and the functions `log_id` and `sample` (Cloud Logging, "Logging query
language": general vendor documentation, not verified). Comparisons without a word between them
are joined by AND; OR binds closer than AND does, as Logging has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from tidegate.localclouds.gcp import names

Entry = Mapping[str, Any]
Test = Callable[[Entry], bool]

TOKEN = re.compile(
    r"""\s+|--[^\n]*
    |(?P<text>"(?:\\.|[^"\\])*")
    |(?P<mark>=~|!~|!=|<=|>=|[=<>:(),-])
    |(?P<word>(?:[^\s"=<>:(),!]|(?<=\.)"[^"]*")+)""",
    re.VERBOSE,
)
FRACTION = re.compile(r"0(\.\d+)?|1(\.0+)?|\.\d+")
OPERATORS = frozenset({"=", "!=", ":", "=~", "!~", "<", "<=", ">", ">="})
SEVERITIES = (
    "DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY",
)  # fmt: skip
FUNCTIONS = frozenset({"log_id", "sample"})


class FilterError(ValueError):
    """A filter that Logging could not read; the message says where."""


def parse_filter(text: str) -> Test:
    """Return the test that a filter makes of a log entry; an empty one lets everything through.

    Raises:
        FilterError: When it cannot be read, or calls a function that is not answered here.
    """
    tokens = list(_split(text))
    if not tokens:
        return lambda _: True
    parser = _Parser(tokens)
    test = parser.parse_all()
    if parser.peek():
        raise FilterError(f"unexpected '{parser.peek()}'")
    return test


def _split(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise FilterError(f"unparseable at '{text[position : position + 20]}'")
        position = match.end()
        token = match["text"] or match["mark"] or match["word"]
        if token:
            yield token


@dataclass
class _Parser:
    tokens: list[str]
    at: int = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise FilterError(f"expected '{expected or 'a value'}', got '{token or 'the end'}'")
        self.at += 1
        return token

    def parse_all(self) -> Test:
        """Read terms up to the end or a closing parenthesis, all of which have to hold."""
        tests = [self._parse_any()]
        while self.peek() and self.peek() != ")":
            if self.peek() == "AND":
                self.take()
            tests.append(self._parse_any())
        return lambda entry: all(test(entry) for test in tests)

    def _parse_any(self) -> Test:
        tests = [self._parse_term()]
        while self.peek() == "OR":
            self.take()
            tests.append(self._parse_term())
        return lambda entry: any(test(entry) for test in tests)

    def _parse_term(self) -> Test:
        token = self.take()
        if token in ("NOT", "-"):
            inner = self._parse_term()
            return lambda entry: not inner(entry)
        if token == "(":  # noqa: S105 - a parenthesis
            inner = self.parse_all()
            self.take(")")
            return inner
        if self.peek() == "(":
            return self._parse_function(token)
        if self.peek() in OPERATORS:
            return self._parse_comparison(_unquote(token))
        words = _unquote(token).casefold()
        return lambda entry: any(words in str(leaf).casefold() for leaf in _leaves(entry))

    def _parse_comparison(self, path: str) -> Test:
        operator = self.take()
        if self.peek() != "(":
            return _compare(path, operator, self._parse_value())
        self.take("(")
        tests, joins = [_compare(path, operator, self._parse_value())], set()
        while self.peek() in ("OR", "AND"):
            joins.add(self.take())
            tests.append(_compare(path, operator, self._parse_value()))
        self.take(")")
        holds = all if joins == {"AND"} else any
        return lambda entry: holds(test(entry) for test in tests)

    def _parse_value(self) -> str:
        sign = self.take() if self.peek() == "-" else ""
        return sign + _unquote(self.take())

    def _parse_function(self, name: str) -> Test:
        if name not in FUNCTIONS:
            raise FilterError(f"the local clouds do not evaluate the function '{name}'")
        self.take("(")
        values = [self._parse_value()]
        while self.peek() == ",":
            self.take()
            values.append(self._parse_value())
        self.take(")")
        if name == "log_id":
            return lambda entry: unquote(names.last_part(str(entry.get("logName")))) == values[0]
        return _sample(values)


def _sample(values: list[str]) -> Test:
    if len(values) != 2 or not FRACTION.fullmatch(values[1]):
        raise FilterError("sample takes a field and a fraction from 0 to 1")
    path, fraction = values[0], float(values[1])

    def test(entry: Entry) -> bool:
        share = int(names.hexadecimal_of(str(_find(entry, path))), 16) / 0xFFFFFFFF
        return share < fraction

    return test


def _compare(path: str, operator: str, wanted: str) -> Test:
    tests: dict[str, Callable[[Any], bool]] = {
        "=": lambda value: _same(value, wanted),
        ":": lambda value: wanted == "*" or wanted.casefold() in str(value).casefold(),
        "=~": lambda value: re.search(wanted, str(value)) is not None,
        "<": lambda value: _rank(path, value) < _rank(path, wanted),
        "<=": lambda value: _rank(path, value) <= _rank(path, wanted),
        ">": lambda value: _rank(path, value) > _rank(path, wanted),
        ">=": lambda value: _rank(path, value) >= _rank(path, wanted),
    }
    negated = {"!=": "=", "!~": "=~"}.get(operator)
    test = tests[negated or operator]
    if negated or operator == "=~":
        _check_pattern(operator, wanted)

    def holds(entry: Entry) -> bool:
        found = _find(entry, path)
        values = found if isinstance(found, list) else [found]
        hit = any(value is not None and test(value) for value in values)
        return hit != bool(negated)

    return holds


def _check_pattern(operator: str, wanted: str) -> None:
    if operator not in ("=~", "!~"):
        return
    try:
        re.compile(wanted)
    except re.error as error:
        raise FilterError(f"invalid regular expression '{wanted}': {error}") from error


def _same(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return str(value).casefold() == wanted.casefold()
    if isinstance(value, int | float):
        return _rank("", value) == _rank("", wanted)
    return str(value).casefold() == wanted.casefold()


def _rank(path: str, value: Any) -> tuple[int, float, str]:
    if path == "severity" and str(value).upper() in SEVERITIES:
        return 0, SEVERITIES.index(str(value).upper()), ""
    try:
        return 0, float(value), ""
    except (TypeError, ValueError):
        return 1, 0.0, str(value)


def _find(entry: Entry, path: str) -> Any:
    """Return the value at a dotted path; a list of objects gives its objects' values."""
    value: Any = entry
    for step in re.findall(r'"[^"]*"|[^.]+', path):
        name = step.strip('"')
        if isinstance(value, list):
            value = [item.get(name) for item in value if isinstance(item, Mapping)]
        else:
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _unquote(token: str) -> str:
    if not token.startswith('"'):
        return token
    return re.sub(r"\\(.)", r"\1", token[1:-1])
