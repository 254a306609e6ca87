"""What may be one entity but is not surely: proposed with its reason, and never what is told apart by a sign."""

import random

import pytest

from forager.resolution.candidates import candidates
from forager.resolution.entities import Decided, resolve
from forager.resolution.name_links import NamedAs


def proposed(*names: tuple[str, str]) -> list[tuple[str, str, str]]:
    found = resolve([NamedAs(name, kind, 1) for name, kind in names])
    return [(c.a.name, c.b.name, c.kind) for c in candidates(found)]


@pytest.mark.parametrize(
    ("left", "right", "type_", "kind"),
    [
        ("Joanna Marsh", "Joana Marsh", "person", "spelling"),
        ("Ingrid Solvang", "Ingrid Slovang", "person", "spelling"),
        ("Robert Tanner", "Tanner Robert", "person", "order"),
        ("Acme GmbH", "Acme AG", "organisation", "legal form"),
        ("Harbour Safety Council", "HSC", "name", "acronym"),
        ("Vesta", "V\u0435sta", "name", "look-alike"),
    ],
)
def test_what_may_be_one_is_proposed_with_its_reason(left: str, right: str, type_: str, kind: str) -> None:
    assert [k for _, _, k in proposed((left, type_), (right, type_))] == [kind]


def test_an_initial_that_fits_two_people_is_asked_of_a_person() -> None:
    found = proposed(("Kasia Wolny", "person"), ("Karol Wolny", "person"), ("K. Wolny", "person"))
    assert found == [("K. Wolny", "Karol Wolny", "short form"), ("K. Wolny", "Kasia Wolny", "short form")]


@pytest.mark.parametrize(
    ("left", "right", "type_"),
    [
        ("Pump Alpha-1", "Pump Alpha-2", "name"),
        ("INC-1842", "INC-1843", "identifier"),
        ("Anna Berg", "Hanna Berg", "person"),
        ("Maria Koch", "Mario Kuch", "person"),
        ("Project Falcon", "Project Kite", "project"),
    ],
)
def test_what_a_sign_tells_apart_is_not_proposed(left: str, right: str, type_: str) -> None:
    assert proposed((left, type_), (right, type_)) == []


def test_a_person_and_a_firm_are_never_one() -> None:
    assert proposed(("Marten Holm", "person"), ("Martin Holm", "organisation")) == []


def test_the_order_of_names_changes_nothing() -> None:
    names = [
        ("Joanna Marsh", "person"),
        ("Joana Marsh", "person"),
        ("Acme AG", "organisation"),
        ("Acme SA", "organisation"),
    ]
    expected = proposed(*names)
    for _ in range(10):
        random.shuffle(names)
        assert proposed(*names) == expected


def test_thousands_of_names_cost_no_square() -> None:
    found = resolve([NamedAs(f"Person{chr(97 + i % 26)}{i} Family{i * 7}", "person", 1) for i in range(4000)])
    assert candidates(found) == []


def test_what_a_person_joined_is_one_and_says_so() -> None:
    named = [NamedAs("Joanna Marsh", "person", 2), NamedAs("Joana Marsh", "person", 1)]
    (one,) = resolve(named, Decided(joined=(("joana marsh", "joanna marsh", "joined by mara"),)))
    assert (one.name, one.mentions) == ("Joanna Marsh", 3)
    assert [(a.alias, a.kind, a.reason, a.separable) for a in one.aliases] == [
        ("Joana Marsh", "merge", "joined by mara", True)
    ]


def test_what_a_person_told_apart_no_rule_joins_again_not_even_through_a_third_name() -> None:
    named = [NamedAs("Robert Smith", "person", 3), NamedAs("Bob Smith", "person", 1), NamedAs("Smith", "name", 1)]
    apart = Decided(apart=frozenset({frozenset(("robert smith", "bob smith"))}))
    assert all(not {"robert smith", "bob smith"} <= e.names for e in resolve(named, apart))
    assert any({"robert smith", "bob smith"} <= e.names for e in resolve(named))


def test_a_person_overrules_even_what_the_text_says() -> None:
    named = [NamedAs("Harbour Board", "organisation", 2, (("alias", "Pier Board"),)), NamedAs("Pier Board", "name", 1)]
    assert len(resolve(named)) == 1
    assert len(resolve(named, Decided(apart=frozenset({frozenset(("harbour board", "pier board"))})))) == 2
