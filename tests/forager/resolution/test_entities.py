import random

from forager.resolution.entities import FoundEntity, resolve
from forager.resolution.name_links import NamedAs


def names(found: list[FoundEntity]) -> list[tuple[str, list[str]]]:
    return [(e.name, [a.alias for a in e.aliases]) for e in found]


def test_a_nickname_joins_the_only_full_name_that_fits() -> None:
    found = resolve([NamedAs("Robert Smith", "person", 3), NamedAs("Bob Smith", "person", 1)])
    assert names(found) == [("Robert Smith", ["Bob Smith"])]
    assert found[0].aliases[0].reason == "only Robert Smith fits"


def test_an_initial_that_fits_two_people_joins_neither() -> None:
    found = resolve(
        [NamedAs("Kasia Wolny", "person", 1), NamedAs("Karol Wolny", "person", 1), NamedAs("K. Wolny", "person", 1)]
    )
    assert len(found) == 3


def test_a_name_with_and_without_the_word_of_its_kind_is_one() -> None:
    found = resolve([NamedAs("Project Falcon", "project", 5), NamedAs("Falcon", "name", 9)])
    assert names(found) == [("Project Falcon", ["Falcon"])]


def test_an_acronym_that_the_text_spells_out_is_an_alias() -> None:
    found = resolve([NamedAs("Flight Readiness Board", "name", 2, (("acronym", "FRB"),)), NamedAs("FRB", "name", 4)])
    assert names(found) == [("Flight Readiness Board", ["FRB"])]


def test_one_address_is_one_person() -> None:
    mail = (("email", "b.smith@x.example"),)
    found = resolve([NamedAs("Robert Smith", "person", 1, mail), NamedAs("Smith, Bob", "person", 1, mail)])
    assert len(found) == 1


def test_the_order_of_mentions_changes_nothing() -> None:
    mentions = [
        NamedAs("Robert Smith", "person", 3),
        NamedAs("Bob Smith", "person", 1),
        NamedAs("Smith", "name", 2),
        NamedAs("Project Falcon", "project", 2),
        NamedAs("Falcon", "name", 7),
    ]
    expected = resolve(mentions)
    for _ in range(20):
        random.shuffle(mentions)
        assert resolve(mentions) == expected


def test_marks_on_letters_are_written_or_not() -> None:
    assert len(resolve([NamedAs("Zoë Brontë", "person", 1), NamedAs("Z. Bronte", "person", 1)])) == 1


def test_a_title_with_a_bare_surname_is_the_one_who_bears_it() -> None:
    found = resolve(
        [
            NamedAs("Dr. Ada Lovelace", "person", 2),
            NamedAs("Tom Lovelace", "person", 2),
            NamedAs("Dr Lovelace", "person", 1),
        ]
    )
    assert names(found) == [
        ("Dr. Ada Lovelace", ["Ada Lovelace", "Dr Lovelace"]),
        ("Tom Lovelace", []),
    ]


def test_a_team_is_not_the_project_it_is_named_for() -> None:
    found = resolve(
        [NamedAs("Project Falcon", "project", 5), NamedAs("Falcon", "name", 9), NamedAs("Falcon team", "name", 1)]
    )
    assert names(found) == [("Falcon team", []), ("Project Falcon", ["Falcon"])]
