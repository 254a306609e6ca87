"""Mail: what is new in it, what is older, and what hangs on it."""

from email.message import EmailMessage

from forager.parsing.document import BlockKind, Document
from forager.parsing.registry import parse
from tests.forager.parsing.paper_making import block, left_out, said

HEAD = (
    "From: Rosa Klein <rosa@yard.example>\nTo: all@yard.example\n"
    "Subject: Crane\nDate: Wed, 18 Feb 2026 09:00:00 +0100\n"
)


def mail(body: str, head: str = HEAD) -> Document:
    return parse(f"{head}\n{body}".encode(), "a.eml")


def prose(document: Document) -> list[str]:
    return [words for words in said(document) if not words.startswith(("From:", "To:", "Subject:", "Date:"))]


def test_headers_are_blocks_metadata_and_date() -> None:
    document = mail("The crane is repaired.")
    assert document.title == "Crane"
    assert (document.document_date, document.document_date_from) == ("2026-02-18", "Date header")
    assert said(document, BlockKind.MAIL_HEADER)[0] == "From: Rosa Klein <rosa@yard.example>"
    assert block(document, "repaired").location == "message body"


def test_quoted_lines_and_their_attribution_are_no_evidence() -> None:
    document = mail("It is in May.\n\nOn Mon, 2 Feb 2026 at 08:00, Omar Said wrote:\n> It is in March.\n> Omar\n")
    assert prose(document) == ["It is in May."]
    assert set(left_out(document).values()) == {"quoted"}


def test_german_and_french_attributions_and_forwarded_blocks_are_quoted() -> None:
    german = mail("Neu.\n\nAm 02.02.2026 um 08:00 schrieb Omar Said <o@yard.example>:\n\nAlt.\n")
    french = mail("Neuf.\n\nLe lun. 2 févr. 2026 à 08:00, Omar a écrit :\n> Vieux.\n")
    outlook = mail("New.\n\nFrom: Omar\nSent: Monday\nTo: Rosa\nSubject: Crane\n\nOld.\n")
    forward = mail("New.\n\n-----Original Message-----\nFrom: Omar\nTo: Rosa\n\nOld.\n")
    assert [prose(d) for d in (german, french, outlook, forward)] == [["Neu."], ["Neuf."], ["New."], ["New."]]


def test_answers_between_quoted_lines_stay() -> None:
    document = mail("> Who pays?\nThe yard pays.\n> When?\nIn May.\n")
    assert prose(document) == ["The yard pays.", "In May."]


def test_a_signature_is_kept_but_is_no_evidence() -> None:
    document = mail("It is done.\n-- \nRosa Klein\nHead of yard\n")
    assert prose(document) == ["It is done."]
    assert (
        left_out(document) == {"-- \nRosa Klein\nHead of yard": "signature"}
        or "signature" in left_out(document).values()
    )


def test_a_sentence_that_says_somebody_wrote_is_not_a_quotation() -> None:
    assert prose(mail("The manual that Omar wrote is wrong.\nWe keep it.\n"))[0].startswith("The manual")


def test_an_html_only_body_is_read_without_scripts_and_hidden_text() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "a@b.example", "Times"
    message.set_content("<p>It opens at 06:45.</p><p style='display:none'>At 05:00.</p><script>x()</script>", "html")
    document = parse(message.as_bytes(), "a.eml")
    assert prose(document) == ["It opens at 06:45."]
    assert left_out(document) == {"At 05:00.": "hidden"}


def test_older_mail_in_an_html_body_is_quoted() -> None:
    cited = "<p>New.</p><div>On 2 Feb 2026, Omar wrote:<blockquote type=cite><p>Old.</p></blockquote></div>"
    outlook = "<p>New.</p><p>From: Omar<br>Sent: Monday<br>To: Rosa<br>Subject: Crane</p><p>Old.</p>"
    for body in (cited, outlook):
        document = mail(body, HEAD + 'Content-Type: text/html; charset="utf-8"\n')
        assert prose(document) == ["New."]
        assert set(left_out(document).values()) == {"quoted"}


def test_plain_text_is_read_once_when_html_says_the_same() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "a@b.example", "Times"
    message.set_content("It opens at seven.")
    message.add_alternative("<p>It opens at seven.</p>", "html")
    assert prose(parse(message.as_bytes(), "a.eml")) == ["It opens at seven."]


def test_attachments_and_mails_within_become_children() -> None:
    inner = EmailMessage()
    inner["Subject"] = "Old tariff"
    inner.set_content("Ten euros.")
    message = EmailMessage()
    message["From"], message["Subject"] = "a@b.example", "Fwd"
    message.set_content("See below.")
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="../../sum.csv")
    message.add_attachment(inner)
    children = {child.name: child.unfold() for child in parse(message.as_bytes(), "a.eml").children}
    assert children["sum.csv"] == b"a,b\n1,2\n"
    assert b"Ten euros." in children["Old tariff.eml"]


def test_an_unknown_charset_is_read_and_reported() -> None:
    document = mail("The key is here.", HEAD + 'Content-Type: text/plain; charset="x-odd"\n')
    assert prose(document) == ["The key is here."]
    assert [w.code for w in document.warnings] == ["unknown_charset"]


def test_an_impossible_date_is_left_empty() -> None:
    document = mail("Done.", HEAD.replace("Wed, 18 Feb 2026 09:00:00 +0100", "Mon, 31 Feb 2099 25:61:00 +2600"))
    assert document.document_date == ""
    assert [w.code for w in document.warnings] == ["date_unreadable"]


def test_an_encoded_subject_cannot_start_a_new_line() -> None:
    document = mail("Done.", HEAD.replace("Crane", "=?utf-8?q?Crane=0D=0ABcc=3A_x=40y?="))
    assert document.title == "Crane Bcc: x@y"
