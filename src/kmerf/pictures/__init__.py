"""Pictures as values: what is drawn, without a word about how.

`vocabulary` has a `Picture` with its axes and marks; `of_answers`, `of_data` and `of_studies` turn results into
pictures, one function per question. `kmerf.figures` draws them with matplotlib, `kmerf.report` as SVG.
"""
