"""Text that gives orders to whoever reads it by machine. It is knowledge like any other, is never obeyed, and is told.

Only what addresses a reading program or its review counts; a document about such texts may quote one and is told, too.
"""

from forager.extraction import guard
from forager.parsing.document import Document, ParseWarning

CODE = "instruction_like_text"
MOST_BLOCKS = 20_000


def warning(document: Document) -> tuple[ParseWarning, ...]:
    """One warning with the first place and the number of them; none when the text gives no orders."""
    blocks = document.blocks[:MOST_BLOCKS]
    found = [block for block in blocks if guard.instructs(document.text[block.start : block.end])]
    if not found:
        return ()
    times = "once" if len(found) == 1 else f"{len(found)} times"
    told = f"The text gives orders to programs that read it, {times}. They are read as text and never followed."
    return (ParseWarning(CODE, told, found[0].location, "Ask where the document comes from before relying on it."),)
