"""Sports: races and teams, Glicko ratings, home advantage, seasons, odds, summaries, votes."""

from peckorder.data.fields import Fields as Fields
from peckorder.data.fields import read_fields as read_fields
from peckorder.evaluation.external_forecast import chances_from_odds as chances_from_odds
from peckorder.evaluation.external_forecast import outside_forecast as outside_forecast
from peckorder.evaluation.home_advantages import home_advantages as home_advantages
from peckorder.evaluation.knockout import bracket as bracket
from peckorder.evaluation.league import areas as areas
from peckorder.evaluation.league import finish_chances as finish_chances
from peckorder.evaluation.league import league_table as league_table
from peckorder.evaluation.league import win_share as win_share
from peckorder.evaluation.season import simulate_season as simulate_season
from peckorder.orders.plackett_luce import plackett_luce as plackett_luce
from peckorder.orders.vote_audit import audit_votes as audit_votes
from peckorder.ratings.glicko import glicko as glicko
from peckorder.ratings.glicko import glicko2 as glicko2
from peckorder.ratings.live import AdaptiveRater as AdaptiveRater
from peckorder.ratings.live import FieldRater as FieldRater
from peckorder.ratings.live import GlickoRater as GlickoRater
from peckorder.text import missing as _missing

__all__ = [
    "AdaptiveRater",
    "FieldRater",
    "Fields",
    "GlickoRater",
    "areas",
    "audit_votes",
    "bracket",
    "chances_from_odds",
    "finish_chances",
    "glicko",
    "glicko2",
    "home_advantages",
    "league_table",
    "outside_forecast",
    "plackett_luce",
    "read_fields",
    "simulate_season",
    "win_share",
]

__getattr__ = _missing(__name__, __all__)
