"""Which elements of a page a reader cannot see: by attribute, by inline style, by a simple rule of its style sheet."""

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|!|$)",
    re.IGNORECASE,
)
RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,2000})\}")
SIMPLE = re.compile(r"^[a-z0-9]*(?:(?P<sign>[.#])(?P<name>[\w-]+))$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HiddenRules:
    """Class names and ids that the page's own style sheet hides. Other selectors are not followed."""

    classes: frozenset[str]
    ids: frozenset[str]

    @classmethod
    def of(cls, tree: LexborHTMLParser) -> "HiddenRules":
        found: dict[str, set[str]] = {".": set(), "#": set()}
        for style in tree.css("style"):
            for selectors, body in RULE.findall(style.text() or ""):
                if not HIDING.search(body):
                    continue
                for selector in selectors.split(","):
                    match = SIMPLE.match(selector.strip())
                    if match:
                        found[match["sign"]].add(match["name"])
        return cls(frozenset(found["."]), frozenset(found["#"]))

    def hides(self, node: LexborNode) -> bool:
        attributes = node.attributes
        if not attributes:
            return False
        if "hidden" in attributes and attributes["hidden"] != "until-found":
            return True
        if HIDING.search(attributes.get("style") or ""):
            return True
        if (attributes.get("id") or "") in self.ids:
            return True
        return not self.classes.isdisjoint((attributes.get("class") or "").split())
