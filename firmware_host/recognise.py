"""What changed on the board -> what it means. Pure: cells in, findings out; waiting is left to the table.

Sensors know neither colour nor identity. So every cluster of newly covered cells is read as a piece of the
colour to move, and every missing cell as something that happened to a recorded piece. A finding says which
cells must be still, and for how long, before the table may act on it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from engine import Placement, Reason, Violation
from firmware_host.debounce import SEATED_S
from firmware_host.findings import (
    Ambiguous,
    Answered,
    Cleared,
    Displaced,
    Finding,
    Fits,
    Growing,
    Held,
    Lifted,
    Moved,
    Oversized,
    Parked,
    Stray,
    Unfit,
    Unsure,
)
from firmware_host.groups import Cells, around, clusters, connected_parts, pushed_aside, pushed_cells
from firmware_host.masked_reading import MaskedReadings, answered, draw_pictures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from engine import Colour, Game
    from engine.pieces import PieceSet
    from firmware_host.config import Reading
    from firmware_host.layout import Cell

ENTERING_S = 1e9  # a piece that is entered by keys may take for ever
ASK_S = 8.0  # part of a piece that lies still for so long may be a whole one over a dead sensor
TOUCH_S = 0.6  # a finger on a picture
TOGETHER_S = 0.4  # two pieces that come to rest so close together come at once
LATE_S = 0.15  # between the last touch of one piece and the first of another beside it
_NO_PIECE = (Reason.OFF_BOARD, Reason.OCCUPIED, Reason.NOT_A_PIECE, Reason.NOT_IN_HAND)


class Placed(NamedTuple):
    """A recorded piece."""

    colour: Colour
    placement: Placement


class Reader:
    """Reads boards at one point of one game; holds nothing but what follows from the game."""

    def __init__(self, game: Game, waits: Reading) -> None:
        self._game = game
        self._waits = waits
        self._largest = _largest(game.rules.pieces)
        self.placed = [
            Placed(move.colour, move.placement) for move in game.history if move.placement is not None
        ]
        self._before: dict[int, Game] = {}
        self._unbelieved: Cells = frozenset()
        self._suspected: Cells = frozenset()
        self._parked: AbstractSet[Cell] = frozenset()
        self._refused: AbstractSet[Cell] = frozenset()
        self._changed_s: Mapping[Cell, float] = {}
        self._new: AbstractSet[Cell] = frozenset()
        self._lone: Cells = frozenset()
        self._turn_s = float("-inf")
        # Contacts bounce: the same cells are asked about again and again.
        self._checked: dict[tuple[Cells, Colour | None], Placement | Violation] = {}
        self._grow: dict[Cells, bool] = {}
        self._finished: AbstractSet[Cell] = frozenset()
        self._looks: dict[int, MaskedReadings] = {}
        self._asked: Unsure | None = None  # with keys
        self._questions: dict[tuple[Cells, tuple[Placement, ...]], tuple[Cells, ...]] = {}

    def read(
        self,
        new: AbstractSet[Cell],
        missing: AbstractSet[Cell],
        *,
        stray: AbstractSet[Cell] = frozenset(),
        set_back: Cells = frozenset(),
        push_depth: int = 1,
        unbelieved: Cells = frozenset(),
        suspected: Cells = frozenset(),
        parked: AbstractSet[Cell] = frozenset(),
        refused: AbstractSet[Cell] = frozenset(),
        finished: AbstractSet[Cell] = frozenset(),
        changed_s: Mapping[Cell, float] | None = None,
        lone: Cells = frozenset(),
        turn_s: float = float("-inf"),
    ) -> list[Finding]:
        """All findings for cells newly covered and recorded cells no longer covered.

        `stray` cells can't be a placement; `set_back` is the piece lifted a moment ago; `push_depth` is how
        many of the latest placements may still be corrected by pushing. `unbelieved` cells are in neither
        set; for `suspected` ones a single reading is asked about, too. What lies beside `parked` cells may be
        a piece of its own; what was `refused` waits for no turn; where all is `finished` no more of a piece
        will come. `changed_s` is when each cell changed last. On `lone` cells, new and not believed,
        something came alone: a single one is asked about. `turn_s` is when the latest
        placement was read.
        """
        if unbelieved | suspected != self._unbelieved | self._suspected:
            self._looks.clear()
        self._unbelieved, self._suspected = unbelieved, suspected
        self._parked, self._refused, self._changed_s = parked, refused, changed_s or {}
        new = new - lone
        self._new, self._lone, self._finished, self._turn_s = new, lone, finished, turn_s
        groups = clusters(new, self._game.lattice)
        findings: list[Finding] = []
        pushed = clusters(new, self._game.lattice, outside=True) if missing else groups
        moved = self._read_moved(pushed, missing, push_depth)
        if moved is not None:
            findings.append(moved)
            missing = missing - moved.cells
            groups = [group for group in groups if not group & moved.cells]
            pushed = [group for group in pushed if not group & moved.cells]
        lifted = self._read_lifted(missing)
        if lifted is not None:
            findings.append(lifted)
            missing = missing - lifted.cells
        displaced = list(self._read_displaced(pushed, missing))
        findings += displaced
        owned = {cell for finding in displaced for cell in finding.extra}
        groups = [group for group in groups if not group & owned]
        if moved is not None or lifted is not None:  # whose turn it is will be known when that is settled
            return findings + [self._read_answer(group, findings) or Held(group, 0.0) for group in groups]
        if self._unbelieved or self._suspected:
            unclear, groups = self._read_masked(groups, missing, stray, set_back)
        else:
            unclear = []
        return findings + self._read_new(groups, stray, set_back, push_depth, unclear)

    def read_toggled(
        self, cells: AbstractSet[Cell], unbelieved: Cells = frozenset(), *, finished: bool = False
    ) -> list[Finding]:
        """What cells mean that were switched on by keys: all of them are one piece, whole when `finished`.

        Nothing settles by itself there, so nothing waits, and nothing is taken before somebody confirms it.
        `unbelieved` keys may be missing in it.
        """
        if unbelieved != self._unbelieved:
            self._looks.clear()
        self._unbelieved, question = unbelieved, self._asked
        group = frozenset(cells)
        if not group:
            return []
        if question is not None and question.cells < group:
            answer = self._read_answer(group - question.cells, [question])
            if answer is not None:
                return [question, answer]
        found = self._check(group)
        if finished and unbelieved:
            options = self._readings(group, 0)
            if len(options) > 1:
                self._asked = self._ask(group, options, group)
                return [self._asked]
            found = options[0] if options else found
        if isinstance(found, Placement):
            return [Fits(group, 0.0, found)]
        if not finished and self._may_grow(group):
            return [Growing(group, ENTERING_S)]
        return [Unfit(group, 0.0 if finished else self._waits.illegal_s, found)]

    def compare(self, new: AbstractSet[Cell], missing: AbstractSet[Cell]) -> list[Finding]:
        """The differences between board and record, nothing read into them: first recorded piece first."""
        differences: list[Finding] = []
        for move in self.placed:
            lost = frozenset(move.placement.cells) & missing
            if lost:
                differences.append(Displaced(lost, 0.0, move.colour, lost, frozenset()))
        return differences + self.strays(new)

    def read_over(
        self, new: AbstractSet[Cell], missing: AbstractSet[Cell], masked: Cells = frozenset()
    ) -> list[Finding]:
        """After the end only two things mean something: the last piece lifted alone, and a cleared board."""
        recorded = frozenset(cell for move in self.placed for cell in move.placement.cells) - masked
        if missing == recorded and not new:
            return [Cleared(recorded, self._waits.new_game_s)]
        if self.placed and missing and missing == frozenset(self.placed[-1].placement.cells) - masked:
            return [Lifted(frozenset(missing), self._waits.reopen_s)]
        return []

    def strays(self, new: AbstractSet[Cell]) -> list[Finding]:
        """What lies there without a meaning."""
        return [Stray(group, self._waits.illegal_s) for group in clusters(new, self._game.lattice)]

    # -- what the rules say

    def _check(self, cells: Cells, colour: Colour | None = None) -> Placement | Violation:
        """What the rules say to these cells, by default for the colour to move."""
        asked = cells, colour
        if asked not in self._checked:
            self._checked[asked] = self._game.check(cells, colour)
        return self._checked[asked]

    def _may_grow(self, cells: Cells) -> bool:
        """Whether they are part of a larger piece that is legal."""
        if cells not in self._grow:
            self._grow[cells] = self._game.supersets(cells)
        return self._grow[cells]

    # -- what left

    def _read_lifted(self, missing: AbstractSet[Cell]) -> Lifted | None:
        last = frozenset(self.placed[-1].placement.cells) - self._unbelieved if self.placed else frozenset()
        return Lifted(last, self._waits.lift_s) if last and missing >= last else None

    def _read_displaced(self, groups: list[Cells], missing: AbstractSet[Cell]) -> Iterator[Displaced]:
        for move in self.placed if missing else ():
            cells = frozenset(move.placement.cells)
            lost = cells & missing
            if lost:
                beside = around(lost, self._game.lattice)
                extra = {cell for group in groups if group & beside for cell in group}
                extra |= pushed_cells(cells, lost, {cell for group in groups for cell in group})
                yield Displaced(lost, self._waits.lift_s, move.colour, lost, frozenset(extra))

    def _read_moved(
        self, groups: list[Cells], missing: AbstractSet[Cell], push_depth: int
    ) -> Moved | Unsure | None:
        """A push leaves some of the piece's cells and gains others beside them."""
        for depth in range(1, min(push_depth, len(self.placed)) + 1):
            cells = frozenset(self.placed[-depth].placement.cells)
            stay = cells - missing
            if stay != cells and stay:
                reach = around(stay, self._game.lattice) | cells
                gained = {cell for group in groups if group & reach for cell in group}
                if gained:
                    found = self._replacement(depth, stay | gained, cells | gained)
                    if found is not None:
                        return found
            elif not stay and depth > 1:  # a narrow piece, all of it pushed aside, and the next is placed
                for aside in pushed_aside(cells, {cell for group in groups for cell in group}):
                    found = self._replacement(depth, aside, cells | aside)
                    if found is not None:
                        return found
        return None

    def _replacement(
        self, depth: int, cells: AbstractSet[Cell], changed: AbstractSet[Cell]
    ) -> Moved | Unsure | None:
        before = self._game_before(depth)
        if self._unbelieved or self._suspected:
            changed = changed - self._unbelieved
            seen = frozenset(cells) - self._unbelieved
            options = self._readings(seen, depth)
            if len(options) > 1 and depth == 1:
                return self._ask(frozenset(changed), options, cells, depth)
            answer = options[0] if len(options) == 1 else None
        else:
            found = before.check(cells)
            answer = found if isinstance(found, Placement) else None
        if answer is None:
            return None
        if depth > 1:
            earlier = self.placed[-depth].placement
            if answer.piece != earlier.piece and not set(earlier.cells) <= set(answer.cells):
                return None  # a push does not make another piece of it
            trial = before.copy()
            trial.play(answer.cells)
            for later in self.placed[len(self.placed) - depth + 1 :]:
                if trial.to_move != later.colour or isinstance(trial.check(later.placement.cells), Violation):
                    return None
                trial.play(later.placement.cells)
        return Moved(frozenset(changed), self._wait_for(answer, before), answer, depth)

    def _game_before(self, depth: int) -> Game:
        """The game before its last `depth` placements, and whatever was chosen after them."""
        if depth not in self._before:
            before = self._before[depth] = self._game.copy()
            while before.plies > self._game.plies - depth:
                before.undo()
        return self._before[depth]

    # -- what cells that are not believed leave open

    def _masked_readings(self, depth: int) -> MaskedReadings:
        if depth not in self._looks:
            game = self._game_before(depth) if depth else self._game
            self._looks[depth] = MaskedReadings(game, self._unbelieved | self._suspected)
        return self._looks[depth]

    def _readings(self, seen: Cells, depth: int) -> list[Placement]:
        """Every legal placement that looks like this."""
        game = self._game_before(depth) if depth else self._game
        whole = game.check(seen)
        unclear = self._masked_readings(depth).of(seen)
        return [*unclear, whole] if isinstance(whole, Placement) else unclear

    def _read_masked(
        self, groups: list[Cells], missing: AbstractSet[Cell], stray: AbstractSet[Cell], set_back: Cells
    ) -> tuple[list[Finding], list[Cells]]:
        """What may lie on cells that are not believed, and the groups it does not explain."""
        findings: list[Finding] = []
        if not groups:
            return findings, groups
        for seen, _ in self._masked_readings(0).among([group for group in groups if not group & stray]):
            options = self._readings(seen, 0)
            certain = len(options) == 1 and self._suspected.isdisjoint(options[0].cells)
            restored = next((option for option in options if frozenset(option.cells) == set_back), None)
            if restored is not None:
                findings.append(Fits(seen, self._waits.settle_five_s, restored, restored=True))
            elif certain:
                tiny = len(seen) <= 2
                wait_s = self._waits.settle_tiny_s if tiny else self._waits.settle_ambiguous_s
                findings.append(Fits(seen, wait_s, options[0]))
            else:
                taken = {cell for group in groups for cell in group} | set(missing)
                findings.append(self._ask(seen, options, taken))
        explained = {cell for finding in findings for cell in finding.cells}
        return findings, [group for group in groups if not group & explained]

    def _ask(
        self, cells: Cells, options: list[Placement], taken: AbstractSet[Cell], depth: int = 0
    ) -> Unsure:
        ordered = tuple(sorted(options, key=lambda option: (len(option.cells), option.cells)))
        key = (cells, ordered)
        if key not in self._questions:
            pieces = {cell for move in self.placed for cell in move.placement.cells}
            unbelieved = self._unbelieved | self._suspected
            self._questions[key] = draw_pictures(
                ordered, cells, self._game.lattice, pieces | taken, unbelieved
            )
        return Unsure(cells, self._waits.settle_tiny_s, ordered, self._questions[key], depth)

    def _read_answer(self, group: Cells, findings: Sequence[Finding]) -> Answered | None:
        for question in findings:
            if isinstance(question, Unsure):
                number = answered(group, question.pictures)
                if number is not None:
                    return Answered(group, TOUCH_S, question, question.options[number])
        return None

    # -- what came

    def _read_new(
        self,
        groups: list[Cells],
        stray: AbstractSet[Cell],
        set_back: Cells,
        push_depth: int,
        unclear: list[Finding],
    ) -> list[Finding]:
        findings = unclear + [self._read_group(group, stray, set_back, push_depth) for group in groups]
        findings = [*self._join_parts(findings), *self._read_lone(unclear, stray)]
        questions = [finding for finding in findings if isinstance(finding, Unsure)]
        if questions:
            findings = [self._read_answer(finding.cells, questions) or finding for finding in findings]
        if any(len(question.options) > 1 for question in questions):  # the answer comes first
            return [Held(f.cells, 0.0) if isinstance(f, Fits) else f for f in findings]
        rivals = self._rivals([finding for finding in findings if isinstance(finding, Fits)])
        if len(rivals) < 2:
            return self._hold_followers(findings)
        first = self._only_first(rivals)
        held = [rival for rival in rivals if rival is not first]
        shown: list[Finding] = [finding for finding in findings if finding not in held]
        if first is None:
            return [*shown, *(Ambiguous(rival.cells, self._waits.illegal_s) for rival in held)]
        return [*shown, *(Held(rival.cells, 0.0) for rival in held)]

    def _rivals(self, fits: list[Fits]) -> list[Fits]:
        """Those that may be somebody else's: large enough, or laid at the same time as one that is."""
        large_s = [self._laid_s(finding.cells) for finding in fits if len(finding.cells) >= 3]
        return [
            finding
            for finding in fits
            if len(finding.cells) >= 3
            or any(abs(self._laid_s(finding.cells) - laid_s) < TOGETHER_S for laid_s in large_s)
        ]

    def _laid_s(self, cells: Cells) -> float:
        """When the last of these cells came to rest."""
        return max(self._changed_s.get(cell, 0.0) for cell in cells)

    def _join_parts(self, findings: list[Finding]) -> list[Finding]:
        """Ask where a whole piece may be part of a larger one that a dark cell, maybe a dead one, divides."""
        kinds = Fits | Growing | Unfit | Parked
        parts = [part for part in findings if isinstance(part, kinds) and part.cells <= self._new]
        for small in [part for part in parts if isinstance(part, Fits) and not part.restored]:
            laid_s, tiny_s = self._laid_s(small.cells), self._waits.settle_tiny_s
            others = [p for p in parts if abs(self._laid_s(p.cells) - laid_s) < tiny_s]  # a finger is later
            for joined, whole in self._wholes(small, others):
                fits = [part.placement for part in joined if isinstance(part, Fits)]
                cells = frozenset(cell for part in joined for cell in part.cells)
                rest = [finding for finding in findings if finding not in joined]
                return [*rest, self._ask(cells, [*fits, whole], self._new)]
        return findings

    def _wholes(self, small: Fits, parts: Sequence[Finding]) -> Iterator[tuple[list[Finding], Placement]]:
        lattice = self._game.lattice
        for cell in sorted(around(small.cells, lattice) - self._new):
            beside = around((cell,), lattice)
            joined = [part for part in parts if part.cells & beside]
            size = sum(len(part.cells) for part in joined) + 1
            if len(joined) > 1 and size <= self._largest:
                whole = self._check(frozenset((cell,)).union(*(part.cells for part in joined)))
                if isinstance(whole, Placement):
                    yield joined, whole

    def _read_lone(self, unclear: list[Finding], stray: AbstractSet[Cell]) -> Iterator[Finding]:
        """What came alone, as a piece of one square; unless it may be part of what lies beside it."""
        explained: set[Cell] = set()
        for finding in unclear:
            if isinstance(finding, Unsure):
                explained.update(cell for option in finding.options for cell in option.cells)
            elif isinstance(finding, Fits):
                explained.update(finding.placement.cells)
        for cell in sorted(self._lone - explained):
            found = self._read_group(frozenset((cell,)), stray, frozenset(), 0)
            if isinstance(found, Fits):
                yield self._ask(found.cells, [found.placement], self._new)
            else:
                yield Held(found.cells, 0.0) if isinstance(found, Growing) else found

    def _hold_followers(self, findings: list[Finding]) -> list[Finding]:
        """Two at once: what is legal for the next colour once the mover's piece is read is not refused."""
        fits = [finding for finding in findings if isinstance(finding, Fits)]
        if len(fits) != 1 or len(findings) < 2:
            return findings
        trial = self._game.copy()
        trial.play(fits[0].placement.cells)
        return [
            Held(finding.cells, 0.0)
            if isinstance(finding, Unfit | Parked)
            and finding.cells.isdisjoint(self._refused | self._parked)
            and isinstance(trial.check(finding.cells), Placement)
            else finding
            for finding in findings
        ]

    def _only_first(self, rivals: list[Fits]) -> Fits | None:
        """The one of several whole pieces that must come first for the others to be the next colours'."""
        orders = [rival for rival in rivals if self._others_follow(rival, rivals)]
        return orders[0] if len(orders) == 1 else None

    def _others_follow(self, first: Fits, rivals: list[Fits]) -> bool:
        trial = self._game.copy()
        trial.play(first.placement.cells)
        return all(
            isinstance(trial.check(_all_cells(rival)), Placement) for rival in rivals if rival is not first
        )

    def _read_group(
        self, group: Cells, stray: AbstractSet[Cell], set_back: Cells, push_depth: int
    ) -> Finding:
        if group & stray:
            return Stray(group, self._waits.illegal_s)
        side_by_side = self._read_side_by_side(group)
        if side_by_side is not None:
            return side_by_side
        answer = self._check(group)
        if isinstance(answer, Placement):
            restored = group == set_back
            if len(group) == 1 and not restored and self._has_waited(group):
                return self._ask(group, [answer], self._new)  # for its turn; or its sensor is stuck
            wait_s = self._wait_for(answer, self._game)
            return Fits(
                group, min(wait_s, self._waits.settle_five_s) if restored else wait_s, answer, restored
            )
        if len(group) < self._largest and not group <= self._finished and self._may_grow(group):
            return Growing(group, ASK_S)
        completed = self._read_completed(group, push_depth)
        if completed is not None:
            return completed
        if len(group) > self._largest:
            return self._read_pair(group) or Oversized(group, self._waits.sleeve_s)
        others = self._colours_for(group)
        if len(others) == 1:
            return Parked(group, self._waits.illegal_s, others[0])
        pair = None if self._is_one_piece(group) else self._read_pair(group)
        return pair or Unfit(group, self._waits.illegal_s, answer)

    def _has_waited(self, group: Cells) -> bool:
        """Whether this lay there long before the latest placement."""
        return group <= self._parked or self._laid_s(group) < self._turn_s - self._waits.settle_tiny_s

    def _is_one_piece(self, group: Cells) -> bool:
        """Whether a colour holds a piece of this shape: then that lies there in a wrong place, not two."""
        return any(
            isinstance(answer, Placement) or answer.reason not in _NO_PIECE
            for answer in (self._check(group, colour) for colour in self._game.colours)
        )

    def _read_side_by_side(self, group: Cells) -> Finding | None:
        """The mover's piece, where another that came earlier or later lies side by side with it."""
        own = self._own_part(group)
        if own is None:
            return None
        whole = self._check(group)
        if isinstance(whole, Placement):  # or all is one piece, seated in two steps
            return self._ask(group, [own, whole], self._new)
        if self._parked.isdisjoint(group):  # no piece that is legal: refused as such, or read as a pair
            return None
        wait_s = max(self._wait_for(own, self._game), self._waits.settle_ambiguous_s)
        return Fits(frozenset(own.cells), wait_s, own)

    def _own_part(self, group: Cells) -> Placement | None:
        """What could be the mover's alone: all but what is parked, or one of two parts that came apart."""
        parked = group & self._parked
        if parked:
            found = self._check(group - parked) if group - parked else None
            return found if isinstance(found, Placement) else None
        late = self._late_part(group)
        for own, other in ((group - late, late), (late, group - late)) if late else ():
            found = self._check(own)
            if isinstance(found, Placement):
                trial = self._game.copy()
                trial.play(found.cells)
                if isinstance(trial.check(other), Placement):
                    return found
        return None

    def _late_part(self, group: Cells) -> Cells:
        """The cells that came after the others had been still for a while; empty if there are none."""
        times = sorted(self._changed_s.get(cell, 0.0) for cell in group)
        gap_s, since_s = max(
            ((after - before, after) for before, after in pairwise(times)), default=(0.0, 0.0)
        )
        if gap_s < LATE_S:
            return frozenset()
        return frozenset(cell for cell in group if self._changed_s.get(cell, 0.0) >= since_s)

    def _read_completed(self, group: Cells, push_depth: int) -> Moved | Unsure | None:
        """More of a piece that was taken for a smaller one while it was still tilted."""
        if not self.placed or push_depth < 1:
            return None
        last = frozenset(self.placed[-1].placement.cells)
        if len(last) + len(group) > self._largest or not around(last, self._game.lattice) & group:
            return None
        if self._came_after_s(last, group) > SEATED_S and self._colours_for(group):
            return None  # that is another piece, before its turn
        found = self._replacement(1, last | group, last | group)
        if isinstance(found, Moved):  # nothing hurries: a sleeve beside the piece goes away again
            return structs.replace(found, wait_s=self._waits.settle_tiny_s)
        return found

    def _came_after_s(self, earlier: Cells, later: Cells) -> float:
        """How long after the last touch of some cells the first of others came."""
        times, never = self._changed_s, float("-inf")
        return min(times.get(cell, never) for cell in later) - max(times.get(cell, never) for cell in earlier)

    def _colours_for(self, group: Cells) -> list[Colour]:
        """The colours that are not to move and could place this."""
        return [
            colour
            for colour in self._game.colours
            if colour != self._game.to_move and isinstance(self._check(group, colour), Placement)
        ]

    def _read_pair(self, group: Cells) -> Finding | None:
        """Two pieces side by side, the mover's and the next colour's, if only one such reading is legal.

        One of less than three cells is not taken with another, but it makes other readings doubtful.
        """
        if not 4 <= len(group) <= 2 * self._largest:
            return None
        readings: set[Placement] = set()
        small = False
        for part in connected_parts(group, self._largest, self._game.lattice):
            rest = group - part
            if not rest or len(clusters(rest, self._game.lattice)) != 1:
                continue
            answer = self._check(part)
            if isinstance(answer, Placement):
                trial = self._game.copy()
                trial.play(part)
                if isinstance(trial.check(rest), Placement):
                    readings.add(answer)
                    small |= len(rest) < 3
        if not readings or (small and len(readings) == 1):
            return None
        if len(readings) > 1:
            return Ambiguous(group, self._waits.illegal_s)
        return Fits(group, self._waits.settle_ambiguous_s, readings.pop())

    def _wait_for(self, placement: Placement, game: Game) -> float:
        """How long the hand gets: the smaller the piece, the likelier it is a larger one half seated."""
        size, waits = len(placement.cells), self._waits
        if size <= 2:
            return waits.settle_tiny_s
        if game.supersets(placement.cells):
            return waits.settle_ambiguous_s
        return waits.settle_five_s if size >= 5 else waits.settle_small_s


def _all_cells(rival: Fits) -> Iterable[Cell]:
    """What must still be legal: the piece with its masked cells, or two pieces side by side."""
    return rival.placement.cells if rival.cells.issubset(rival.placement.cells) else rival.cells


@lru_cache(maxsize=16)
def _largest(pieces: Callable[[], PieceSet]) -> int:
    """Squares of the largest piece. Making a set of pieces takes longer than reading a board."""
    return max(pieces().sizes.values())
