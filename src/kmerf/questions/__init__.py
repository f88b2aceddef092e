"""Questions: does y depend on x, do these groups differ? Each reads a `Sample` and asks `answer.ask`.

`setup` makes a choice ready to run, `answer` runs it, `leaks` finds columns that determine y alone. What each question
is called and how it is worded is in `kmerf.results.question`. May import `adjustment`, `explain` and all below.
"""
