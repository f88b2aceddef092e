"""Show: one view of a result, which terminal, notebook, report and figures all take.

`verdict` says what was found, `words` what to call x, y and z, `facts` and `tables` hold the numbers as text, and
`numbers` says how a number is written; `text` and `notebook` are the two surfaces that need no other library. The words
of a question are in `kmerf.results.question`. May import `results` and `core`, and nothing that computes.
"""
