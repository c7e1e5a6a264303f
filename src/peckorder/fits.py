"""Questions about a fit: how well it predicts, what it assumes, who drives it.

`loo` and `prequential` score a posterior on contests it has not seen; `predictive_check` compares
replicated records with the real one; `prior_sensitivity` changes the priors; `without` refits
without some individuals.
"""

from peckorder.evaluation.without import without as without
from peckorder.posterior.loo import loo as loo
from peckorder.posterior.predictive import predictive_check as predictive_check
from peckorder.posterior.prequential import prequential as prequential
from peckorder.posterior.sensitivity import prior_sensitivity as prior_sensitivity

__all__ = ["loo", "predictive_check", "prequential", "prior_sensitivity", "without"]
