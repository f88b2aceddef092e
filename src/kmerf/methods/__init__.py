"""Methods: the tests of dependence, each a value of settings that prepares a sample and is fitted to any order of y.

`protocol` says what a method must do, `registry` lists their names. May import `forests` and all below.
"""
