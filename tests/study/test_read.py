"""What is read from a store."""


def test_nothing_in_the_rows_depends_on_time(rows):
    assert set(rows) == {
        "code",
        "test",
        "data",
        "seed",
        "replicate",
        "part",
        "weight",
        "statistic",
        "permuted",
        "pvalue",
    }
