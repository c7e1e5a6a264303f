"""Tests mirror the modules: tests/structure/test_dyads.py is about src/peckorder/structure/dyads.py.

Who changes a module then knows which tests to read. Tests that concern several modules stand in
tests/ itself or are named below.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "peckorder"
TESTS = ROOT / "tests"
# Test modules in folders that are about no single module, and why.
ACROSS: dict[str, str] = {
    "app/attacks": "who tries to get in, from every side",
    "app/browser": "the page of the app in a browser",
    "app/page_files": "the files of the page: styles and scripts",
    "cli/names_and_where": "what all commands share: names, conditions, and what is said of data",
    "cli/orders_and_structure": "commands that one function makes from a table",
    "cli/shell": "what all commands share: output, exit codes and files",
    "data/bad_input": "messages for bad input, from every shape of source",
    "figures/examples": "the examples that redraw figures of the papers",
    "figures/figures": "what all figures share: size, text and tables",
    "kernels/kernels": "loops over contests and text, against plain Python",
    "kernels/nuts": "kernels: the sampler on known targets",
    "kernels/random": "kernels: random numbers, with threads and components",
    "likelihood/gradients": "kernels of likelihood and posterior, against plain Python",
    "posterior/checks_of_fits": "checks of fitted models, which work alike",
    "reporting/browser": "the finished page in a browser",
    "sequential/margins": "factors of margins, from the settings to the season",
    "sequential/twin": "kernels of Elo, against plain Python",
}
# Modules without a test module of their own: which tests cover them, and a piece of text in those
# tests that shows it (a call, an import or a flag of the shell).
ELSEWHERE: dict[str, tuple[str, str]] = {
    "app/answer_code": ("app/test_answers.py", "code_of_answer("),
    "app/cards": ("app/test_checks.py", "suggestions("),
    "app/certainty": ("app/test_answers.py", "test_certain_is_dynamic"),
    "app/events": ("app/test_jobs.py", "events.of("),
    "app/grid": ("app/test_table.py", "window("),
    "app/guard": ("app/test_attacks.py", "app.guard import"),
    "app/later": ("app/test_jobs.py", "/api/jobs/"),
    "app/limits": ("app/test_attacks.py", "Limits("),
    "app/presence_card": ("app/test_workspace.py", "test_presence_from_another_sheet"),
    "app/question": ("app/test_answers.py", "chosen_settings("),
    "app/record": ("app/test_reading.py", "record.sheets"),
    "app/refused": ("app/test_attacks.py", "status_code == 403"),
    "app/routes": ("app/test_workspace.py", '"/api/grid"'),
    "app/settings": ("app/test_explore.py", "Settings()"),
    "app/sheet_cards": ("app/test_checks.py", "test_dates_say_what_either_reading_means"),
    "app/unpacking": ("app/test_attacks.py", "test_a_compressed_text_that_is_a_bomb"),
    "app/work": ("app/test_server.py", "peckorder.app.work"),
    "cli/app": ("app/test_server.py", '["app", "--no-open"]'),
    "cli/check": ("cli/test_shell.py", '"check"'),
    "cli/compare_models": ("cli/test_evaluate.py", '"compare-models"'),
    "cli/content": ("cli/test_orders_and_structure.py", '"--format"'),
    "cli/drawing": ("cli/test_plot.py", '"--width"'),
    "cli/drawn_results": ("cli/test_plot.py", '"ranks"'),
    "cli/elo": ("cli/test_shell.py", '"elo"'),
    "cli/finding": ("cli/test_orders_and_structure.py", '"stability"'),
    "cli/leaderboard": ("ranking/test_leaderboard.py", '"--anchor"'),
    "cli/glicko": ("cli/test_evaluate.py", '"glicko"'),
    "cli/options": ("cli/test_shell.py", '"--winner"'),
    "cli/network": ("cli/test_orders_and_structure.py", '"--graphml"'),
    "cli/period_ranks": ("cli/test_orders_and_structure.py", '"period-ranks"'),
    "cli/orders": ("cli/test_orders_and_structure.py", '"isi"'),
    "cli/over_time": ("evaluation/test_over_time.py", "cli.over_time"),
    "cli/progress": ("test_cli_progress.py", "progress"),
    "cli/rating": ("cli/test_evaluate.py", '"--method"'),
    "cli/report": ("reporting/test_report.py", '"report"'),
    "cli/running": ("cli/test_orders_and_structure.py", '"--by'),
    "cli/shared": ("cli/test_shell.py", '"-o"'),
    "cli/simulate": ("cli/test_evaluate.py", '"simulate"'),
    "cli/structure": ("cli/test_orders_and_structure.py", '"steepness"'),
    "cli/tune": ("cli/test_evaluate.py", '"tune"'),
    "evaluation/points_so_far": ("evaluation/test_predict.py", "standings="),
    "figures/heat_map": ("figures/test_rank_probabilities.py", "written"),
    "sources/addresses": ("sources/test_databases.py", "address_of("),
    "data/assembling": ("data/test_read.py", "sorted by date"),
    "sources/columns": ("data/test_read.py", "sources.columns"),
    "data/datasets": ("data/test_bad_input.py", "datasets."),
    "data/date_texts": ("data/test_dates.py", "date_texts"),
    "data/excel_dates": ("data/test_dates.py", 'date_format="excel"'),
    "data/exclusion": ("likelihood/test_elo_ml.py", "min_contests="),
    "sources/files": ("sources/test_source.py", "mkfifo"),
    "sources/formulas": ("data/test_odd_names.py", "error of a formula"),
    "data/fixtures": ("evaluation/test_predict.py", "simulate_season("),
    "data/import_report": ("data/test_read.py", ".report"),
    "data/interactions": ("data/test_read.py", "Interactions"),
    "sources/joined_sheets": ("sources/test_workbook.py", "were joined"),
    "data/matrix": ("ranking/test_davids_score.py", "Matrix"),
    "sources/names": ("data/test_read.py", "NameCodes"),
    "data/own_sheet": ("results/test_joins.py", ".at_dates("),
    "cli/window": ("cli/test_join.py", '"--from"'),
    "sources/notation": ("data/test_arrows.py", "sources.notation"),
    "data/log_events": ("data/test_behavior_logs.py", "has no start in the file"),
    "sources/log_formats": ("data/test_behavior_logs.py", "recognized("),
    "data/presence_days": ("data/test_presence_wide.py", "month_of("),
    "data/presence_tables": ("data/test_presence.py", "read_presence"),
    "sources/queries": ("sources/test_databases.py", "query_of("),
    "sources/r_columns": ("sources/test_r_files.py", "r_columns.frame_of("),
    "sources/r_limits": ("sources/test_r_files.py", "r_limits.Items("),
    "data/record": ("results/test_ratings.py", '"wins"'),
    "filters/filtered": ("filters/test_dynamic.py", "trajectory("),
    "data/dyad_tally": ("ranking/test_bradley_terry.py", "errors="),
    "data/near_names": ("data/test_aliases.py", "near_names"),
    "data/selection": ("data/test_where.py", "where="),
    "data/shapes": ("data/test_read.py", "votes"),
    "sources/sheet": ("sources/test_source.py", "contains values of type"),
    "sources/sides": ("data/test_outcomes.py", "no column was recognized that says who won"),
    "sources/sqlite": ("sources/test_databases.py", "import sqlite"),
    "data/square": ("data/test_read.py", "matrix"),
    "data/stamps": ("sequential/test_within.py", "data.stamps"),
    "data/swapped_dates": ("data/test_dates.py", "may have exchanged day and month"),
    "data/stream": ("data/test_read.py", "data.stream"),
    "data/tally": ("structure/test_steepness_published.py", "tally"),
    "sources/text": ("data/test_read.py", "po.read("),
    "sources/verdicts": ("data/test_outcomes.py", "is ambiguous"),
    "sources/workbook_parts": ("sources/test_workbook.py", "workbook_parts"),
    "data/times": ("data/test_dates.py", "is not a time of day"),
    "evaluation/areas": ("evaluation/test_calibration.py", "po.sport.areas("),
    "evaluation/compare_models": ("evaluation/test_calibration.py", "po.compare_models("),
    "evaluation/home_advantages": ("evaluation/test_calibration.py", "po.sport.home_advantages("),
    "evaluation/measures": ("evaluation/test_over_time.py", "evaluation.measures"),
    "evaluation/profiles": ("evaluation/test_tune.py", '"low"'),
    "evaluation/scoring": ("evaluation/test_evaluate.py", ".hindsight["),
    "evaluation/search": ("evaluation/test_tune.py", "po.tune("),
    "evaluation/season": ("evaluation/test_predict.py", "po.sport.simulate_season("),
    "evaluation/season_spread": ("evaluation/test_onward.py", "spread_between_seasons("),
    "evaluation/space": ("evaluation/test_tune.py", "over="),
    "evaluation/win_share": ("evaluation/test_calibration.py", "po.sport.win_share("),
    "evaluation/without": ("posterior/test_checks_of_fits.py", "po.fits.without("),
    "figures/calibration": ("figures/test_figures.py", '"calibration"'),
    "figures/canvas": ("figures/test_figures.py", "figures.canvas"),
    "figures/files": ("figures/test_figures.py", "figures.files"),
    "figures/change_points": ("figures/test_figures.py", '"change_points"'),
    "figures/over_time": ("figures/test_figures.py", '"over_time"'),
    "figures/tenure": ("figures/test_figures.py", '"tenure"'),
    "figures/groups": ("figures/test_figures.py", "plot.matrices("),
    "figures/likelihood": ("figures/test_figures.py", "plot.likelihood("),
    "figures/matrix": ("figures/test_figures.py", "plot.matrix("),
    "figures/orders": ("figures/test_figures.py", "plot.ranks("),
    "figures/posterior": ("figures/test_figures.py", "plot.posterior("),
    "figures/presence": ("figures/test_figures.py", "plot.presence("),
    "figures/published": ("figures/test_figures.py", "savefig("),
    "figures/power": ("figures/test_figures.py", "plot.power("),
    "figures/recovery": ("figures/test_figures.py", "plot.recovery("),
    "figures/saving": ("figures/test_figures.py", ".savefig("),
    "figures/structure": ("figures/test_figures.py", "plot.steepness("),
    "data/visit_times": ("data/test_visits.py", "test_times_of_day"),
    "figures/visits": ("figures/test_figures.py", "plot.gaps("),
    "figures/trajectories": ("figures/test_figures.py", "plot.trajectories("),
    "cli/dynamic": ("filters/test_dynamic.py", 'inside("dynamic"'),
    "cli/adaptive": ("filters/test_adaptive.py", '"adaptive", "adv.csv"'),
    "filters/adaptive_coefficients": ("filters/test_adaptive.py", ".coefficients["),
    "filters/adaptive_course": ("filters/test_adaptive.py", "course.replay"),
    "filters/adaptive_summary": ("filters/test_adaptive.py", "summary_of("),
    "filters/course": ("filters/test_dynamic.py", "course.replay"),
    "filters/engine": ("filters/test_bank.py", "run_filters("),
    "filters/grid": ("filters/test_bank.py", "drift_grid("),
    "filters/mixtures": ("filters/test_bank.py", "square_roots("),
    "filters/roster": ("filters/test_bank.py", "rosters("),
    "filters/ties": ("filters/test_bank.py", "ties=ties"),
    "likelihood/components": ("likelihood/test_elo_ml.py", ".components"),
    "likelihood/contests": ("posterior/test_elo_bayes.py", "observe("),
    "likelihood/fit": ("likelihood/test_elo_ml.py", "po.elo_ml("),
    "likelihood/maximum": ("likelihood/test_elo_ml.py", "profile"),
    "likelihood/nested": ("likelihood/test_bootstrap.py", "nested_models("),
    "likelihood/summary": ("likelihood/test_elo_ml.py", ".summary"),
    "papers/albers2001": ("papers/test_reproduce.py", '"albers2001"'),
    "papers/devries2006": ("papers/test_reproduce.py", "devries2006.SCORES"),
    "papers/foerster2016": ("papers/test_reproduce.py", '"foerster2016"'),
    "papers/goffe2018": ("papers/test_reproduce.py", '"goffe2018"'),
    "papers/langville2012": ("papers/test_reproduce.py", '"langville2012"'),
    "papers/printed": ("papers/test_reproduce.py", "Printed("),
    "posterior/course": ("posterior/test_elo_bayes.py", ".at("),
    "posterior/diagnostics": ("posterior/test_elo_bayes.py", "posterior.diagnostics"),
    "posterior/loo": ("posterior/test_checks_of_fits.py", "po.fits.loo("),
    "posterior/model": ("posterior/test_elo_bayes.py", "model_of("),
    "posterior/predictive": ("posterior/test_checks_of_fits.py", "po.fits.predictive_check("),
    "posterior/prequential": ("posterior/test_checks_of_fits.py", "po.fits.prequential("),
    "posterior/psis": ("kernels/test_nuts.py", "psis"),
    "posterior/result": ("posterior/test_checks_of_fits.py", "Posterior"),
    "posterior/sampler": ("posterior/test_elo_bayes.py", "posterior.sampler"),
    "posterior/sensitivity": ("posterior/test_checks_of_fits.py", "po.fits.prior_sensitivity("),
    "posterior/summary": ("posterior/test_elo_bayes.py", ".summary"),
    "data/co_residence": ("ranking/test_network.py", "co_resident"),
    "ranking/extensions": ("ranking/test_isi.py", "extensions"),
    "ranking/conventions": ("ranking/test_period_ranks.py", "convention="),
    "ranking/informed": ("ranking/test_period_ranks.py", "reordered("),
    "ranking/least_cost": ("ranking/test_percolation.py", "least_cost_order("),
    "ranking/rank_changes": ("ranking/test_period_ranks.py", "active_change"),
    "ranking/study_periods": ("ranking/test_period_ranks.py", "study_periods("),
    "ranking/index_error": ("ranking/test_davids_score.py", "po.reliability.index_error("),
    "reporting/analysis": ("reporting/test_report.py", "po.report("),
    "reporting/answer": ("reporting/test_report.py", "ranks first"),
    "reporting/lines": ("reporting/test_report.py", "reporting.lines"),
    "reporting/paragraph": ("reporting/test_report.py", "paragraph"),
    "reporting/drawings": ("reporting/test_report.py", "po.plot."),
    "reporting/further": ("reporting/test_report.py", "figure-network"),
    "reporting/hierarchy": ("reporting/test_report.py", "caveat"),
    "reporting/individuals": ("reporting/test_report.py", "reporting.individuals"),
    "reporting/front": ("reporting/test_view.py", "front_page"),
    "reporting/step_size": ("reporting/test_coherence.py", "step_size"),
    "reporting/sections": ("reporting/test_report.py", "SECTIONS"),
    "results/chances": ("evaluation/test_predict.py", "po.predict("),
    "results/course": ("results/test_ratings.py", ".at("),
    "results/differences": ("results/test_ratings.py", "differences"),
    "results/finding": ("structure/test_stability.py", "Measure"),
    "results/sheets": ("test_spreadsheets.py", "sheets.label_of("),
    "results/methods_sentence": ("results/test_ratings.py", "methods"),
    "results/histories": ("results/test_ratings.py", ".trajectory("),
    "results/predictions": ("results/test_ratings.py", ".probability("),
    "results/result": ("results/test_ratings.py", ".to_dict("),
    "results/standing": ("results/test_ratings.py", ".expected_beaten("),
    "results/windowed": ("results/test_window.py", ".between("),
    "results/sampled": ("posterior/test_elo_bayes.py", "outranks("),
    "sequential/arguments": ("test_house.py", "sequential.arguments"),
    "sequential/policies": ("sequential/test_elo.py", "margin="),
    "sequential/replay": ("sequential/test_elo.py", ".history"),
    "ranking/paired_fit": ("ranking/test_resampling.py", "ranking.paired_fit"),
    "ranking/vote_counts": ("ranking/test_resampling.py", "ranking.vote_counts"),
    "ranking/paired_model": ("ranking/test_bradley_terry.py", "ranking.paired_model"),
    "sequential/saved_states": ("sequential/test_rater.py", "to_dict()"),
    "sequential/settings": ("test_house.py", "sequential.settings"),
    "simulation/estimates": ("simulation/test_recovery.py", "method="),
    "simulation/like": ("simulation/test_hierarchies.py", "like("),
    "simulation/plans": ("simulation/test_power.py", "Assumed.of("),
    "simulation/scenarios": ("simulation/test_hierarchies.py", "takeover"),
    "simulation/study": ("simulation/test_recovery.py", "rank_mae"),
    "simulation/truth": ("simulation/test_hierarchies.py", "rank_error("),
    "simulation/verdict": ("simulation/test_recovery.py", ".verdict"),
    "simulation/worlds": ("simulation/test_recovery.py", "p_equal"),
    "executors/futures": ("executors/test_mapping.py", "ThreadPoolExecutor("),
    "executors/outcomes": ("executors/test_processes.py", "executors.outcomes"),
    "executors/worker": ("executors/test_processes.py", "printed by the work"),
    "studies/numbers": ("studies/test_study.py", "linearity_p_right"),
    "studies/result": ("studies/test_study.py", ".draws("),
    "studies/work": ("studies/test_study.py", '"reason"'),
    "structure/scores_over_time": ("structure/test_steepness_bayes.py", "at=["),
    "structure/fair_coins": ("structure/test_steepness_bayes.py", ".fair_coins"),
    "structure/dyads": ("structure/test_order_test.py", "dyads"),
    "structure/order_record": ("structure/test_order_test.py", "order_record"),
    "structure/shape": ("structure/test_stability.py", "hierarchy_shape("),
}
# Modules that only the examples in their docstrings run; this should be empty.
UNTESTED: set[str] = set()


def modules() -> set[str]:
    """Modules as structure/dyads; kernels have their twins instead."""
    return {
        path.relative_to(SOURCES).with_suffix("").as_posix()
        for path in SOURCES.rglob("*.py")
        if not path.name.startswith("__") and path.relative_to(SOURCES).parts[0] != "kernels"
    }


def mirrors() -> set[str]:
    """Modules that the test modules in folders name, with folders: structure/dyads."""
    return {
        path.relative_to(TESTS).with_name(path.stem.removeprefix("test_")).as_posix()
        for path in TESTS.rglob("test_*.py")
        if path.parent != TESTS
    }


def test_every_test_module_in_a_folder_is_about_a_module():
    assert sorted(mirrors() - modules() - set(ACROSS)) == []
    assert sorted(set(ACROSS) - mirrors()) == []


def test_every_module_in_a_folder_has_its_tests():
    alone = {name for name in modules() if "/" in name} - mirrors()
    assert sorted(alone - set(ELSEWHERE) - UNTESTED) == []
    assert sorted((set(ELSEWHERE) | UNTESTED) - alone) == []
    assert not set(ELSEWHERE) & UNTESTED


@pytest.mark.parametrize(("module", "place"), ELSEWHERE.items())
def test_tests_elsewhere_use_the_module(module, place):
    tests, sign = place
    assert sign in (TESTS / tests).read_text(encoding="utf-8"), f"{module}: {sign} not in {tests}"
