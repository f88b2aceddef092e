"""A plugin of pytest that puts our classes in the place of hyppo's, before hyppo's own tests are collected."""

import sys
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import hyppo.independence
    import hyppo.ksample
    import hyppo.tools

from kmerf.compat import hyppo as ours

for name in ("CCA", "HHG", "KMERF", "MGC", "RV", "Dcorr", "Hsic"):
    theirs, replaced = getattr(hyppo.independence, name), getattr(ours, name)
    hyppo.independence.INDEP_TESTS[name.lower()] = replaced
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("hyppo.") and getattr(module, name, None) is theirs:
            setattr(module, name, replaced)
theirs = hyppo.ksample.KSample
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("hyppo.") and getattr(module, "KSample", None) is theirs:
        module.KSample = ours.KSample
