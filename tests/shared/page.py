"""Reads an HTML report as a browser would, and says what is wrong with it."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "br"}
_LOADING = {"src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "xlink:href"}
_FORBIDDEN = {
    "script",
    "iframe",
    "object",
    "embed",
    "link",
    "img",
    "base",
    "form",
    "input",
    "audio",
    "video",
    "foreignobject",
}


class Page(HTMLParser):
    """`text`: all text, `by_class`: the texts of elements by class, `problems`: what a static, safe page has not."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.by_class: dict[str, list[str]] = {}
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self._open: list[tuple[str, str, list[str]]] = []
        self._text: list[str] = []
        self.feed(html)
        self.close()
        self.problems += [f"<{tag}> is left open" for tag, _, _ in self._open]
        self.problems += [f"id {one} twice" for one in set(self.ids) if self.ids.count(one) > 1]

    @property
    def text(self) -> str:
        """All text outside of the style sheet."""
        return "".join(self._text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in _VOID:
            self._open.append((tag, dict(attrs).get("class") or "", []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag in _FORBIDDEN:
            self.problems.append(f"<{tag}>")
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.links.append(value or "")
            if name.startswith("on") or name in _LOADING or "url(" in (value or "").replace("url(#", ""):
                self.problems.append(f"{name}={value}")

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            self.problems.append(f"</{tag}> closes {self._open[-1:]}")
            return
        _, class_, text = self._open.pop()
        for one in class_.split():
            self.by_class.setdefault(one, []).append("".join(text))

    def handle_data(self, data: str) -> None:
        if any(tag == "style" for tag, _, _ in self._open):
            if "@import" in data or "url(" in data:
                self.problems.append("the style sheet loads something")
            return
        self._text.append(data)
        for _, _, text in self._open:
            text.append(data)
