"""Task sources; importing this package registers tahr's own."""

from tahr.data.sources import arithmetic as arithmetic
from tahr.data.sources import letters as letters
from tahr.data.sources import text_constraints as text_constraints
