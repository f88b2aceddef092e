"""Our test of conditional independence as the callables that causal discovery libraries ask for.

    from kmerf.adapters import for_causal_learn, for_dowhy, for_pgmpy

    causal-learn   pc(data, alpha, indep_test=for_causal_learn())
    pgmpy          PC(table).estimate(ci_test=for_pgmpy(table))
    dowhy          falsify_graph(graph, table, conditional_independence_test=for_dowhy())

None of these libraries is needed to import this. What z explains of a variable is removed once and kept
(`kmerf.adapters.independence_tests`), however many pairs are tested given z.
"""

from kmerf.adapters.independence_tests import for_causal_learn as for_causal_learn
from kmerf.adapters.independence_tests import for_dowhy as for_dowhy
from kmerf.adapters.independence_tests import for_pgmpy as for_pgmpy

__all__ = ["for_causal_learn", "for_dowhy", "for_pgmpy"]
