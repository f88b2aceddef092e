"""Files become tables.

`origin` opens and decompresses, `text` parses CSV and its kin, `cells` decides what columns of text hold, `table` is
what comes out, and `read` puts them together.

What is in a file decides how it is read, and not the ending of its name. Everything that was decided is in the table's
notes. This package is the one door to polars, which is in the extra: `pip install 'kmerf[cli]'`.
"""
