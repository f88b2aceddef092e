"""A plugin of pytest that puts our classes in the place of hyppo's, before hyppo's own tests are collected.

Only where it is named with `-p`: importing this module, as pytest does to look for doctests, changes nothing.
"""

import sys
import warnings

import kmerf.compat.hyppo as ours


def pytest_configure(config):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import hyppo.independence
        import hyppo.ksample
        import hyppo.tools
    for name in ours.independence.__all__:
        theirs, replaced = getattr(hyppo.independence, name), getattr(ours, name)
        hyppo.independence.INDEP_TESTS[name.lower()] = replaced
        replace_everywhere(name, theirs, replaced)
    replace_everywhere("KSample", hyppo.ksample.KSample, ours.KSample)


def replace_everywhere(name, theirs, replaced):
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("hyppo.") and getattr(module, name, None) is theirs:
            setattr(module, name, replaced)
