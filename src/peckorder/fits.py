"""Checking and comparing fits: predictive accuracy, model checks and sensitivity.

`loo` and `prequential` estimate the predictive accuracy of a posterior for contests that were not
used in the fit; `predictive_check` compares the data with replicated data; `prior_sensitivity`
refits with other priors; `without` refits without some individuals; `likelihood_surface` is the
log-likelihood of Elo settings on a grid.
"""

from peckorder.evaluation.leave_out import without as without
from peckorder.evaluation.likelihood_surface import likelihood_surface as likelihood_surface
from peckorder.ratings.posterior_checks import loo as loo
from peckorder.ratings.posterior_checks import predictive_check as predictive_check
from peckorder.ratings.posterior_checks import prequential as prequential
from peckorder.ratings.posterior_checks import prior_sensitivity as prior_sensitivity

__all__ = [
    "likelihood_surface",
    "loo",
    "predictive_check",
    "prequential",
    "prior_sensitivity",
    "without",
]
