"""Two versions of a table: is there a difference, does it matter, and which columns, pairs and rows make it.

`matching` puts two tables beside each other, `evidence` has the joint test and the p-values of columns, `telling` how
well new rows can be told from old ones, `column_changes` what changed in a column and between two, and `comparing` puts
it together: `compare`, `Reference` and windows.
"""
