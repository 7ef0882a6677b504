# SPDX-License-Identifier: Apache-2.0
"""The bytes of single values in a JSON text: what a server sent for a record, not what a parser makes of it."""

import json

_decoder = json.JSONDecoder()
_space = " \t\r\n"


def _skip(text, at):
    while text[at] in _space:
        at += 1
    return at


def _values(text, at):
    """Yields (name, start, end) for each value of the object or array that begins at `at`; names of an array are its indices."""
    is_object = text[at] == "{"
    at, index = _skip(text, at + 1), 0
    while text[at] not in "}]":
        name = index
        if is_object:
            name, at = _decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _decoder.raw_decode(text, at)
        yield name, at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
        index += 1


def member(text, *names):
    """The text of a value inside of objects and arrays."""
    for name in names:
        start, end = next((start, end) for found, start, end in _values(text, _skip(text, 0)) if found == name)
        text = text[start:end]
    return text


def elements(text, *names):
    """The texts of the elements of the array at `names`."""
    array = member(text, *names)
    return [array[start:end] for _, start, end in _values(array, _skip(array, 0))]
