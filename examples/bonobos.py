"""The bonobos of de Vries, Stevens & Vervaecke (2006): scores, steepness, linearity, order.

Prints the values of their Tables 1 to 3, with tests of steepness and linearity, and a rank order
that is proved optimal.
"""

import peckorder as po

data = po.datasets.bonobos()
print(data)

for index in ("pij", "dij"):
    scores = po.davids_score(data, index=index)
    shown = ", ".join(f"{row['individual']} {row['normds']:.2f}" for row in scores.table.to_dicts())
    print(f"\nNormDS by {index}: {shown}")
    print(po.steepness(data, index=index, seed=1))

print()
for measure in (po.linearity, po.transitivity, po.consistency):
    print(measure(data, seed=1))
print(po.isi(data))

fictive = po.datasets.table3()
print("\nTable 3 of the paper, a linear hierarchy that is not steep:")
print(po.linearity(fictive))
print(po.steepness(fictive, runs=100_000, seed=1))
