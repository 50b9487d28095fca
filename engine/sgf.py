"""The tree of a Smart Game Format file, without its meaning.

Grammar: ``tree = "(" node+ tree* ")"``, ``node = ";" property*``, ``property = NAME value+``,
``value = "[" text "]"``, where a backslash in text makes the next character ordinary. https://www.red-bean.com/sgf/sgf4.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.errors import NotationError

TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z0-9]+)\s*(?=\[)|(\[)([^\]\\]*(?:\\.[^\]\\]*)*)(\]?))", re.DOTALL)
MOST_NODES = 100_000


@dataclass(slots=True)
class Value:
    """Text of one value, as written (escapes included), and where it begins in the file."""

    raw: str
    offset: int


@dataclass(slots=True)
class Node:
    """One node: its properties in the order of the file, and what follows it."""

    offset: int
    properties: dict[str, list[Value]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)


def escape(text: str) -> str:
    """Return a text as the value of a property is written."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def write(root: Node) -> str:
    """Return a tree as the text of a file, a line per node."""
    lines = ["("]
    todo: list[Node | str] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            lines.append(node)
            continue
        lines.append(
            ";"
            + "".join(
                name + "".join(f"[{value.raw}]" for value in values)
                for name, values in node.properties.items()
            )
        )
        if len(node.children) == 1:
            todo += node.children
        else:
            for child in reversed(node.children):
                todo += [")", child, "("]
    return "\n".join([*lines, ")", ""])


class Source:
    """A text, and where in it something is."""

    def __init__(self, text: str | bytes) -> None:
        if isinstance(text, bytes):
            try:
                text = text.decode("utf-8")
            except UnicodeDecodeError as error:
                self.text = str(error.object[: error.start], "utf-8")
                raise self.error("not UTF-8", len(self.text)) from None
        self.text = text.removeprefix("\ufeff")

    def error(self, message: str, offset: int) -> NotationError:
        """Make an error at that place."""
        before = self.text[:offset]
        return NotationError(message, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def parse(source: Source) -> Node:
    """Return the root of the tree of a file. Raises NotationError."""
    builder = _Builder(source)
    text = source.text
    position = 0
    while token := TOKEN.match(text, position):
        position = token.end()
        if token[3]:
            if not token[5]:
                raise source.error("this value is never closed", token.start(3))
            builder.value(Value(token[4], token.start(4)))
        elif token[2]:
            builder.name(token[2], token.start(2))
        elif token[1] == ";":
            builder.node(token.start(1))
        elif token[1] == "(":
            builder.opened(token.start(1))
        else:
            builder.closed(token.start(1))
    rest = text[position:]
    if rest.strip():
        offset = position + len(rest) - len(rest.lstrip())
        raise source.error(f"unexpected {text[offset]!r}", offset)
    return builder.root(len(text))


class _Builder:
    """The tree so far; every method is told where in the file its token stands."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._root: Node | None = None
        self._node: Node | None = None
        self._values: list[Value] | None = None
        self._branches: list[Node | None] = []  # the node to go on from, for each open bracket
        self._count = 0

    def opened(self, offset: int) -> None:
        if self._branches and self._node is None:
            raise self._source.error("a tree must begin with a node", offset)
        if self._root is not None and not self._branches:
            raise self._source.error("a second game in the file", offset)
        self._branches.append(self._node)
        self._values = None

    def closed(self, offset: int) -> None:
        if not self._branches:
            raise self._source.error("a bracket that was never opened", offset)
        self._node, self._values = self._branches.pop(), None

    def node(self, offset: int) -> None:
        self._count += 1
        if self._count > MOST_NODES:
            raise self._source.error(f"more than {MOST_NODES:,} nodes", offset)
        if not self._branches:
            raise self._source.error("a node outside of a tree", offset)
        child = Node(offset)
        if self._node is None:
            self._root = child
        else:
            self._node.children.append(child)
        self._node, self._values = child, None

    def name(self, name: str, offset: int) -> None:
        if self._node is None:
            raise self._source.error("a property outside of a node", offset)
        self._values = self._node.properties.setdefault(name, [])

    def value(self, value: Value) -> None:
        if self._values is None:
            raise self._source.error("a value without a property", value.offset - 1)
        self._values.append(value)

    def root(self, end: int) -> Node:
        if self._branches:
            raise self._source.error("the file is cut off: a bracket is not closed", end)
        if self._root is None:
            raise self._source.error("no game in the file", end)
        return self._root
