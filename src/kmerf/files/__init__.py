"""Files: a file becomes a table, and a table and a request become the columns and rows of a test.

What is in a file decides how it is read, not its name, and every decision is in the notes. May import `core` and
`data`; polars, which is in the extra `cli`, is imported in this room only.
"""
