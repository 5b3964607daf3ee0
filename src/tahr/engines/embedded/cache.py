"""The key/value cache: one copy of each prompt for all its samples, and one row of sampled tokens per sample.

Keys are stored transposed, (..., D, tokens), so that scores are one plain batched product. Heads are never expanded.
Rows and prompts in use are always the first ones: what finishes is replaced by the last. The tokens of all rows that
were sampled in one step share a column, whenever the rows began, so that a step writes one column.
"""

from __future__ import annotations

from torch import Tensor


class Bank:
    """Keys (layers, rows, Hkv, D, tokens) and values (layers, rows, Hkv, tokens, D) that grow by copying."""

    def __init__(self, num_layers: int, num_kv_heads: int, head_dim: int, *, like: Tensor) -> None:
        self._like = like
        self._outer = num_layers
        self._heads = num_kv_heads
        self._head_dim = head_dim
        self.keys = like.new_zeros(num_layers, 0, num_kv_heads, head_dim, 0)
        self.values = like.new_zeros(num_layers, 0, num_kv_heads, 0, head_dim)

    @property
    def num_rows(self) -> int:
        """Rows that there is room for."""
        return self.keys.shape[1]

    @property
    def num_tokens(self) -> int:
        """Tokens of one row that there is room for."""
        return self.keys.shape[4]

    def reserve(self, rows: int, tokens: int) -> None:
        """Make room for `rows` rows of `tokens` tokens, keeping what is there.

        Cells are zero until written: garbage would turn the masked part of a product into NaN.
        """
        if rows <= self.num_rows and tokens <= self.num_tokens:
            return
        rows, tokens = max(rows, self.num_rows), max(-(-tokens // 16) * 16, self.num_tokens)
        keys = self._like.new_zeros(self._outer, rows, self._heads, self._head_dim, tokens)
        values = self._like.new_zeros(self._outer, rows, self._heads, tokens, self._head_dim)
        keys[:, : self.num_rows, :, :, : self.num_tokens] = self.keys
        values[:, : self.num_rows, :, : self.num_tokens] = self.values
        self.keys, self.values = keys, values

    def move(self, source: int, target: int, columns: slice) -> None:
        """Copy some columns of row `source` over those of row `target`."""
        self.keys[:, target, :, :, columns] = self.keys[:, source, :, :, columns]
        self.values[:, target, :, columns] = self.values[:, source, :, columns]

    def shift(self, columns: slice) -> None:
        """Move `columns` of all rows to the front."""
        size = columns.stop - columns.start
        self.keys[..., :size] = self.keys[..., columns].clone()
        self.values[:, :, :, :size] = self.values[:, :, :, columns].clone()

    def append(self, layer: int, column: int, keys: Tensor, values: Tensor) -> None:
        """Write one column of the first B rows: `keys` and `values` (B, Hkv, D)."""
        self.keys[layer, : keys.shape[0], :, :, column] = keys
        self.values[layer, : values.shape[0], :, column] = values

    def write(self, layer: int, row: int, keys: Tensor, values: Tensor) -> None:
        """Write a whole row from its first column on: `keys` and `values` (tokens, Hkv, D)."""
        tokens = keys.shape[0]
        self.keys[layer, row, :, :, :tokens] = keys.permute(1, 2, 0)
        self.values[layer, row, :, :tokens] = values.transpose(0, 1)
