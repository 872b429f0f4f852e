"""Perfect matchings against every permutation."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from referee.rules.matching import perfect_matching, possible_columns

graphs = st.integers(1, 6).flatmap(lambda n: st.lists(st.integers(0, 2**n - 1), min_size=n, max_size=n))


def every_matching(rows: list[int]) -> list[tuple[int, ...]]:
    return [
        columns
        for columns in permutations(range(len(rows)))
        if all(row >> column & 1 for row, column in zip(rows, columns, strict=True))
    ]


@given(graphs, st.data())
def test_matchings(rows: list[int], data: st.DataObject) -> None:
    every = every_matching(rows)
    start = data.draw(st.permutations(range(len(rows))))
    for found in (perfect_matching(rows), perfect_matching(rows, start)):
        assert (found is None) == (not every)
        if found is not None:
            assert tuple(found) in every
            used = [sum({1 << columns[row] for columns in every}) for row in range(len(rows))]
            assert possible_columns(rows, found) == used


def test_a_choice_to_begin_with_is_kept_where_it_can_be() -> None:
    assert perfect_matching([0b111, 0b111, 0b111], [2, 0, 1]) == [2, 0, 1]
    assert perfect_matching([0b011, 0b111, 0b111], [2, 0, 1]) is not None
