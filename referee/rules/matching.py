"""Perfect matchings of small bipartite graphs: whether every row can be given a column of its own, and which it can have."""

from collections.abc import Sequence

Rows = Sequence[int]
"""For each row the columns that may fill it, as bits."""


def perfect_matching(rows: Rows, start: Sequence[int | None] = ()) -> list[int] | None:
    """A column for each row, all different, or None when there is no such choice. `start` is a choice to begin with: what
    is no longer allowed of it is chosen anew."""
    of_row: list[int | None] = [
        column if column is not None and rows[row] >> column & 1 else None
        for row, column in enumerate(start or (None,) * len(rows))
    ]
    of_column = {column: row for row, column in enumerate(of_row) if column is not None}
    for row, column in enumerate(of_row):
        if column is None and not _augment(rows, row, of_row, of_column):
            return None
    return [column for column in of_row if column is not None]


def _augment(rows: Rows, row: int, of_row: list[int | None], of_column: dict[int, int]) -> bool:
    """Finds a column for one more row, moving others where need be: breadth first along alternating paths."""
    came: dict[int, int] = {}
    queue, unseen = [row], ~0
    for at in queue:
        fresh = rows[at] & unseen
        unseen &= ~fresh
        while fresh:
            column = (fresh & -fresh).bit_length() - 1
            fresh &= fresh - 1
            came[column] = at
            if column in of_column:
                queue.append(of_column[column])
                continue
            while True:
                holder = came[column]
                before = of_row[holder]
                of_row[holder], of_column[column] = column, holder
                if before is None:
                    return True
                column = before
    return False


def possible_columns(rows: Rows, matching: Sequence[int]) -> list[int]:
    """For each row the columns that fill it in some perfect matching, given one.

    A row may take another's column exactly when the change can be passed round in a circle.
    """
    row_of = {column: row for row, column in enumerate(matching)}
    columns = sum(1 << column for column in matching)
    reach = []
    for row, allowed in enumerate(rows):
        reached, left = 1 << row, allowed & columns
        while left:
            reached |= 1 << row_of[(left & -left).bit_length() - 1]
            left &= left - 1
        reach.append(reached)
    for through, onward in enumerate(reach):
        for row, reached in enumerate(reach):
            if reached >> through & 1:
                reach[row] = reached | onward
    found = []
    for row, allowed in enumerate(rows):
        possible, left = 0, allowed & columns
        while left:
            column = (left & -left).bit_length() - 1
            left &= left - 1
            if reach[row_of[column]] >> row & 1:
                possible |= 1 << column
        found.append(possible)
    return found
