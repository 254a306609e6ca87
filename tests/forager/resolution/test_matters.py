"""Documents on different matters in one base: what they say alike is no disagreement."""

import pytest

from bench import quality, together
from forager.resolution.understanding import understand

OFFICE = "The office in Alder Street closes at {}. Visitors to the Alder Street office ring at the blue gate.\n"
OTHERS = {
    f"{thing}.txt": f"{text}\n".encode()
    for thing, text in {
        "bread": "The oven is lit at four. Sourdough rests for nine hours before Marta bakes it.",
        "choir": "Rehearsals are on Tuesday in the parish hall. Sopranos stand on the left.",
        "clinic": "Blood samples go to the laboratory in Norwood. The nurse labels each tube.",
        "ferry": "The ferry to Skarholm carries forty cars. Deck hands wear orange jackets.",
        "garden": "Tomatoes are watered every second day. The shed key hangs behind the compost heap.",
        "library": "Novels are lent for three weeks. Microfilm stays in the reading room.",
        "print": "The press runs at 120 sheets a minute. Cyan ink is stored in the cellar.",
        "school": "Year nine sits the mathematics test in May. Calculators are not needed.",
        "ski": "The chair lift carries six people. Piste nine is groomed at night.",
        "wine": "Riesling is picked in October. The cellar holds thirty barrels.",
    }.items()
}


def conflicts(contents: dict[str, bytes]) -> int:
    return len(understand(contents).conflicts)


def test_two_documents_on_one_matter_disagree_among_many_others() -> None:
    pair = {f"{n}.txt": OFFICE.format(hour).encode() for n, hour in (("a", "17:00"), ("b", "18:30"))}
    assert conflicts(pair) == 1
    assert conflicts({**pair, **OTHERS}) == 1


def test_the_only_values_of_their_kind_on_two_matters_are_no_disagreement_in_a_large_base() -> None:
    heat = {
        "house.txt": b"The greenhouse is heated to 18 degrees.\n",
        "archive.txt": b"Room nine is kept at 16 degrees.\n",
    }
    assert conflicts({**heat, **OTHERS}) == 0


@pytest.mark.parametrize(("folder", "least_met", "most_across"), [("batch-*", 40, 25), ("sealed", 32, 28)])
def test_probes_in_one_base_disagree_within_themselves(folder: str, least_met: int, most_across: int) -> None:
    probes = [probe for part in sorted(quality.PROBES.glob(folder)) for probe in quality.probes(part)]
    n = together.score(probes)
    assert n["documents"] > 200
    assert n["met"] >= least_met
    assert n["across"] <= most_across
