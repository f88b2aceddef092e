"""Conditions on rows: `grammar` makes a tree of the text, `truth` finds the rows that meet it."""
