"""Threads of linear algebra libraries."""

from __future__ import annotations

from threadpoolctl import threadpool_info

from kmerf.execution.parallel import one_thread


def test_there_is_one_thread_inside_and_as_many_as_before_outside():
    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    with one_thread():
        inside = threads()
    assert inside
    assert set(inside) == {1}
    before = threads()
    with one_thread():
        pass
    assert threads() == before
