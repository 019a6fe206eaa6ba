"""The functions of the language: one table of name, parameters, result and implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from policy.source.records import dataclass
from policy.types.comparison import kind_of
from policy.types.instants import parse_duration, parse_timestamp
from policy.types.kinds import Basic, ListOf, Type, Vocabulary
from policy.types.places import host, lower_ascii, mail_domain, parse_ip
from policy.types.values import Timestamp
from policy.types.zones import WEEKDAYS, calendar_date, time_of_day, weekday

WEEKDAY = Vocabulary("weekday", WEEKDAYS)
"""The type of `weekday(ts, "Zone")`."""

Implementation = Callable[..., object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function.

    `parameters` are the types of the arguments in order; a `ListOf(JSON)` takes any list. `zone` is the position of
    the argument that must be the literal name of a time zone, or None; the implementation gets its ZoneInfo there.
    `accepts` is the runtime type of the first argument, `implementation` takes the arguments and gives a runtime
    value, or None where there is no answer, and `problem` says what is wrong with the first argument then.
    """

    name: str
    parameters: tuple[Type, ...]
    result: Type
    accepts: type
    implementation: Implementation = field(repr=False)
    problem: str
    zone: int | None = None

    def refuses(self, argument: object) -> str | None:
        """Why the first argument has the wrong type, or None where it has the right one."""
        if isinstance(argument, self.accepts):
            return None
        return f"is {kind_of(argument)}, not {_ACCEPTED[self.accepts]}"


_ACCEPTED: Mapping[type, str] = MappingProxyType({str: "a string", list: "a list", Timestamp: "a timestamp"})
_OUT_OF_YEARS = "is out of the years 1-9999 in that zone"


def _of_text(name: str, result: Type, implementation: Callable[[str], object], problem: str) -> Function:
    return Function(
        name=name,
        parameters=(Basic.STRING,),
        result=result,
        accepts=str,
        implementation=implementation,
        problem=problem,
    )


def _of_zone(name: str, result: Type, implementation: Callable[[Timestamp, Any], object]) -> Function:
    return Function(
        name=name,
        parameters=(Basic.TIMESTAMP, Basic.STRING),
        result=result,
        accepts=Timestamp,
        implementation=implementation,
        problem=_OUT_OF_YEARS,
        zone=1,
    )


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        function.name: function
        for function in (
            Function(
                name="count",
                parameters=(ListOf(Basic.JSON),),
                result=Basic.NUMBER,
                accepts=list,
                implementation=len,
                problem="cannot be counted",
            ),
            _of_text("length", Basic.NUMBER, len, "has no length"),
            _of_text("lower", Basic.STRING, lower_ascii, "has no lower case"),
            _of_text(
                "timestamp",
                Basic.TIMESTAMP,
                parse_timestamp,
                "is not an RFC 3339 timestamp with an offset, at most 9 fraction digits and a year 1-9999",
            ),
            _of_text("ip", Basic.IP, parse_ip, "is not an IPv4 or IPv6 address in plain form"),
            _of_text("duration", Basic.DURATION, parse_duration, "is not a duration such as `1h30m`"),
            _of_text("host", Basic.STRING, host, "is not a URL in plain form"),
            _of_text("mail_domain", Basic.STRING, mail_domain, "is not a mail address in plain form"),
            _of_zone("time", Basic.TIME, time_of_day),
            _of_zone("date", Basic.STRING, calendar_date),
            _of_zone("weekday", WEEKDAY, weekday),
        )
    }
)
"""Every function by its name."""
