"""The budget of a volume's checkpoints: their time and space, which limit on writes binds, and which targets that breaks.

In the order of the computation, all pure functions over frozen values:

`document` reads `inputs` from the entries of a document. `write_time`, `intervals` and `capacity` are the formulas,
`arithmetic` puts them together into a `Budget`. `findings` lists what is wrong with it. `evaluate` does all of that for the
volumes of a document, `catalogue` turns the findings into checks, `summary` into what reports show.
"""
