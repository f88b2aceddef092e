"""Many questions at once: one test for each column of x, or each set of columns, against y, and which of them to trust.

`plan` says what is tested and with what, `patterns` and `sequential` find p-values for methods that learn and for those
that do not, `result` holds and prints them, and `question` puts it all together.
"""

from kmerf.screening.question import screen
from kmerf.screening.result import Screen

__all__ = ["Screen", "screen"]
