"""Questions: does y depend on x, do these groups differ, which columns? Each reads, prepares, tests, explains, returns.

`setup` makes a choice ready to run, `answer` runs it. May import `explain` and all below.
"""
