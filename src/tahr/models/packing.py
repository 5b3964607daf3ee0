"""Token sequences laid out for one forward pass: no padding between them, shared prefixes computed once.

    block 0                                   block 1
    [prefix][suffix 0][suffix 1][suffix 2]    [prefix][suffix 0] ...

Every suffix of a block attends to the block's prefix and to itself. A group of attempts at one task is a block; plain
documents are suffixes of one block with an empty prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Where one block lies among the flat tokens.

    `start` is the prefix's first row, `prefix_length` its length P; the suffixes follow in order. Padded to the
    longest, L, they form a (G, L) grid: `pad_rows` (G*L,) are the rows of the suffix part that fill it (cells past an
    end repeat row 0), `unpad_rows` the cells to read back. Both are None where all suffixes have length L.

    Example: ``Block(start=0, prefix_length=3, suffix_lengths=(2, 2), pad_rows=None, unpad_rows=None)``
    """

    start: int
    prefix_length: int
    suffix_lengths: tuple[int, ...]
    pad_rows: Tensor | None
    unpad_rows: Tensor | None

    @property
    def num_suffix_tokens(self) -> int:
        """Rows of the suffix part."""
        return sum(self.suffix_lengths)

    @property
    def longest(self) -> int:
        """L, the padded length of the suffixes."""
        return max(self.suffix_lengths, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedTokens:
    """Tokens of one forward pass: `token_ids` and `position_ids` are (N,), int64.

    Example: ``PackedTokens(token_ids=tensor([1, 9, 7, 42, 2]), position_ids=tensor([0, 1, 2, 3, 4]), blocks=(block,))``
    """

    token_ids: Tensor
    position_ids: Tensor
    blocks: tuple[Block, ...]

    def to(self, device: torch.device) -> PackedTokens:
        """The same tokens on `device`."""
        if self.token_ids.device == device:
            return self
        blocks = tuple(
            replace(block, pad_rows=_move(block.pad_rows, device), unpad_rows=_move(block.unpad_rows, device))
            for block in self.blocks
        )
        return PackedTokens(
            token_ids=self.token_ids.to(device), position_ids=self.position_ids.to(device), blocks=blocks
        )


def _move(tensor: Tensor | None, device: torch.device) -> Tensor | None:
    return None if tensor is None else tensor.to(device)


def pack_blocks(blocks: Sequence[tuple[Sequence[int], Sequence[Sequence[int]]]]) -> PackedTokens:
    """Lay out ``(prefix, suffixes)`` pairs. Raises ValueError on an empty suffix, which nothing could be read from."""
    tokens: list[int] = []
    positions: list[int] = []
    laid: list[Block] = []
    for prefix, suffixes in blocks:
        if any(len(suffix) == 0 for suffix in suffixes):
            raise ValueError("an empty suffix can't be packed")
        start = len(tokens)
        tokens.extend(prefix)
        positions.extend(range(len(prefix)))
        for suffix in suffixes:
            tokens.extend(suffix)
            positions.extend(range(len(prefix), len(prefix) + len(suffix)))
        laid.append(_lay(start, len(prefix), tuple(len(suffix) for suffix in suffixes)))
    return PackedTokens(token_ids=torch.tensor(tokens), position_ids=torch.tensor(positions), blocks=tuple(laid))


def _lay(start: int, prefix_length: int, lengths: tuple[int, ...]) -> Block:
    longest = max(lengths, default=0)
    pad_rows = unpad_rows = None
    if any(length != longest for length in lengths):
        sizes = torch.tensor(lengths)
        inside = torch.arange(longest) < sizes[:, None]
        rows = torch.zeros(len(lengths), longest, dtype=torch.int64)
        rows[inside] = torch.arange(int(sizes.sum()))
        pad_rows, unpad_rows = rows.flatten(), inside.flatten().nonzero().flatten()
    return Block(
        start=start, prefix_length=prefix_length, suffix_lengths=lengths, pad_rows=pad_rows, unpad_rows=unpad_rows
    )


def pack_groups(groups: Sequence[Sequence[Sequence[int]]]) -> tuple[PackedTokens, Tensor]:
    """Lay out groups of sequences, each group with what its members begin with in common computed once.

    Returns the tokens and (M,) the rows of each sequence's last token, group after group. Raises ValueError on an
    empty sequence.
    """
    blocks: list[tuple[Sequence[int], list[Sequence[int]]]] = []
    rows: list[int] = []
    cursor = 0
    for members in groups:
        prefix = _shared_length(members)
        blocks.append((members[0][:prefix], [member[prefix:] for member in members]))
        cursor += prefix
        for member in members:
            cursor += len(member) - prefix
            rows.append(cursor - 1)
    return pack_blocks(blocks), torch.tensor(rows)


def packed_length(members: Sequence[Sequence[int]]) -> int:
    """Tokens that a group of sequences takes in `pack_groups`."""
    prefix = _shared_length(members)
    return prefix + sum(len(member) - prefix for member in members)


def to_padded(tokens: PackedTokens) -> tuple[Tensor, Tensor, Tensor]:
    """The same tokens as whole sequences, padded on the right: ids (S, L), attention mask (S, L), places (N, 2).

    ``places[n]`` is the (sequence, position) of packed row n; a prefix is read in its first suffix. All on the CPU.
    """
    sequences, places = _unshare(tokens)
    longest = max(len(sequence) for sequence in sequences)
    input_ids = torch.zeros(len(sequences), longest, dtype=torch.int64)
    attention_mask = torch.zeros_like(input_ids)
    for index, sequence in enumerate(sequences):
        input_ids[index, : len(sequence)] = torch.tensor(sequence)
        attention_mask[index, : len(sequence)] = 1
    return input_ids, attention_mask, places


def _shared_length(members: Sequence[Sequence[int]]) -> int:
    """How much all members begin with in common, each keeping a token of its own; 0 for one member alone."""
    if len(members) < 2:
        return 0
    longest = min(map(len, members)) - 1
    first = members[0]
    differ = (place for place in range(longest) if any(member[place] != first[place] for member in members))
    return max(next(differ, longest), 0)


def _unshare(tokens: PackedTokens) -> tuple[list[list[int]], Tensor]:
    """Whole sequences, and for each packed row its (sequence, position)."""
    ids: list[int] = tokens.token_ids.tolist()
    sequences: list[list[int]] = []
    places: list[tuple[int, int]] = []
    for block in tokens.blocks:
        middle = block.start + block.prefix_length
        prefix = ids[block.start : middle]
        places.extend((len(sequences), position) for position in range(block.prefix_length))
        start = middle
        for length in block.suffix_lengths:
            places.extend((len(sequences), block.prefix_length + offset) for offset in range(length))
            sequences.append(prefix + ids[start : start + length])
            start += length
    return sequences, torch.tensor(places)
