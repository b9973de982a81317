"""JSON as dataclasses. Members that they do not know are passed over: newer programs add some."""
from __future__ import annotations

import dataclasses
import functools
import json
from typing import Any, Dict, Type, TypeVar, Union, get_args, get_origin, get_type_hints

from ._program import ParplanError

T = TypeVar("T")


class UnexpectedOutput(ParplanError):
    """The program's JSON is not what this module knows: they are of different versions."""


@functools.lru_cache(maxsize=None)
def members(kind: Any) -> Dict[str, Any]:
    """By name in JSON: field and type. Words that Python keeps for itself end in an underscore."""
    return {name.rstrip("_"): (name, hint) for name, hint in get_type_hints(kind).items()}


def shaped(kind: Any, value: Any) -> bool:
    """Whether a value may be of one kind of a union."""
    if dataclasses.is_dataclass(kind):
        return isinstance(value, dict)
    origin = get_origin(kind) or kind
    return not isinstance(origin, type) or isinstance(value, origin)


def made(kind: Any, value: Any) -> Any:
    known = members(kind)
    return kind(**{known[key][0]: decode(known[key][1], each) for key, each in value.items() if key in known})


def decode(kind: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(kind):
        return made(kind, value)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is list:
        return [decode(inner[0], each) for each in value]
    if origin is dict:
        return {key: decode(inner[1], each) for key, each in value.items()}
    if origin is Union and value is not None:
        return next((decode(each, value) for each in inner if shaped(each, value)), value)
    return value


def answer(kind: Type[T], text: str) -> T:
    try:
        decoded: T = decode(kind, json.loads(text))
    except (AttributeError, TypeError, ValueError) as fault:
        raise UnexpectedOutput("%s; the program and this module are of different versions" % fault) from fault
    return decoded
