"""Text that gives orders to whoever reads it by machine. It is knowledge like any other, is never obeyed, and is told.

Only what addresses a reading program or its review counts; a document about such texts may quote one and is told, too.
"""

import re

from forager.parsing.document import Document, ParseWarning

PATTERNS = (
    (
        r"\b(?:ignore|disregard|forget)\s+(?:(?:all|any|the|your|these)\s+)*(?:previous|prior|above|earlier)"
        r"\s+(?:instruction|rule|prompt|message|order)s?"
    ),
    r"\b(?:note|message|instruction)s?\s+(?:to|for)\s+(?:any|all|the|every)\s+(?:assistant|agent|model|ai|bot)s?\b",
    r"\byour\s+(?:task|role|instructions?)\s+(?:has|have|is|are)\s+(?:now\s+)?changed\b",
    r"\byou\s+are\s+now\s+(?:the\s+|an?\s+)?(?:reviewer|administrator|admin|operator|allowed|permitted|in\s+\w+\s+mode)\b",
    r"\b(?:answer|respond|reply)\s+only\s+with\b",
    r"\b(?:do\s+not|don't|never)\s+(?:tell|inform|alert|warn)\s+(?:the\s+)?(?:operator|user|reviewer|human)s?\b",
    r"\b(?:skip|disable|turn\s+off)\s+(?:the\s+)?(?:conflict\s+(?:detection|check)|review|verification)\b",
    r"\b(?:approve|accept|delete|reject)\s+all\s+(?:\w+\s+){0,2}(?:statement|review|conflict|record|document|ruling)s?\b",
    r"\baccepted\s+without\s+review\b",
    r"<\|(?:im_start|im_end|system|endoftext)\|>|\[/?INST\]|</?(?:system|assistant|instructions?)>",
    r"\bignorier(?:e|en\s+sie)\s+(?:alle\s+)?(?:vorherigen|bisherigen|obigen)\s+(?:anweisung|regel)\w*",
    r"\bignore[zr]?\s+(?:toutes\s+)?les\s+(?:instructions|consignes)\s+pr[ée]c[ée]dentes",
)
ORDERS = re.compile("|".join(f"(?:{p})" for p in PATTERNS), re.IGNORECASE)
CODE = "instruction_like_text"
LOOKED_AT = 2_000_000


def warning(document: Document) -> tuple[ParseWarning, ...]:
    """One warning with the first place and the number of them; none when the text gives no orders."""
    found = list(ORDERS.finditer(document.text, 0, LOOKED_AT))
    if not found:
        return ()
    at = found[0].start()
    place = next((b.location for b in document.blocks if b.start <= at < b.end), "")
    times = "once" if len(found) == 1 else f"{len(found)} times"
    told = f"The text gives orders to programs that read it, {times}. They are read as text and never followed."
    return (ParseWarning(CODE, told, place, "Ask where the document comes from before relying on it."),)
