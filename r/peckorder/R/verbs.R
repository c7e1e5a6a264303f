# Made by r/generate.py from the Python functions: change those.

displacements <- function(visits, within, overlap = c("omit", "count", "refuse"),
    min_stay = 0, merge = NULL, missing_end = c("refuse", "start"),
    individual = NULL, place = NULL, start = NULL, end = NULL, date = NULL,
    date_format = NULL, missing = "refuse", sheet = NULL, separator = NULL,
    encoding = NULL, header = NULL, glob = NULL) {
  .verb("displacements", match.call(), environment())
}

read_presence <- function(source, kind = NULL, individual = NULL, start = NULL,
    end = NULL, date = NULL, date_format = NULL, sheet = NULL, names = NULL) {
  .verb("read_presence", match.call(), environment())
}

propose <- function(source, ...) {
  .verb("propose", match.call(), environment())
}

read_contests <- function(source, recipe = NULL, kind = NULL, winner = NULL,
    loser = NULL, date = NULL, time = NULL, tie = NULL, context = NULL, group = NULL,
    season = NULL, count = NULL, winner_points = NULL, loser_points = NULL,
    home = NULL, away = NULL, home_points = NULL, away_points = NULL, neutral = NULL,
    a = NULL, b = NULL, outcome = NULL, a_points = NULL, b_points = NULL,
    contest = NULL, order = NULL, unused = NULL, winner_behaviors = NULL,
    loser_behaviors = NULL, other = NULL, outcomes = NULL, winners = NULL,
    individuals = NULL, names = NULL, ignore = NULL, where = NULL, leave_out = NULL,
    cells = NULL, accept = NULL, presence = NULL, presence_sheet = NULL,
    date_format = NULL, fill_down = NULL, self_contests = "refuse",
    missing = "refuse", polyadic = "refuse", undecided = NULL,
    twins = c("all", "once"), times = c("keep", "drop"), sheet = NULL,
    separator = NULL, encoding = NULL, header = NULL, query = NULL,
    parameters = NULL, glob = NULL, stream = FALSE) {
  .verb("read", match.call(), environment())
}

calibration <- function(ratings, side = c("favorite", "home"),
    view = c("foresight", "hindsight"), bins = 10, home_advantage = NULL, skip = 0,
    level = 0.95, calibrate = FALSE) {
  .verb("calibration", match.call(), environment())
}

compare <- function(data,
    methods = c("elo", "randomized_elo", "davids_score", "isi", "bradley_terry"),
    ties = c("omit", "half", "both"), k = NULL, runs = 1000, seed = NULL,
    level = 0.95, time_limit = 10, progress = interactive()) {
  .verb("compare", match.call(), environment())
}

compare_models <- function(models, by = NULL,
    measure = c("log_loss", "brier", "rps", "correct"), skip = 0, calibrate = FALSE,
    level = 0.95, runs = 1000, seed = NULL, ...) {
  .verb("compare_models", match.call(), environment())
}

evaluate <- function(ratings, home_advantage = NULL,
    equal = c("wrong", "half", "drop"), skip = 0, per = NULL, level = 0.95,
    runs = 1000, seed = NULL, threads = NULL, progress = interactive(),
    calibrate = FALSE) {
  .verb("evaluate", match.call(), environment())
}

without <- function(data, individuals = NULL, min_contests = NULL, one_sided = FALSE,
    method = c("bayes", "ml"), seed = NULL, progress = interactive(), ...) {
  .verb("without", match.call(), environment())
}

likelihood_surface <- function(data, over = "k", grid = NULL, skip = 0, level = 0.95,
    threads = NULL, progress = interactive(), presence = NULL, k = NULL,
    k_column = NULL, curve = NULL, scale = NULL, delta = NULL, sd = NULL,
    start = NULL, outcome = NULL, margin = NULL, margin_correction = NULL,
    burn_in = NULL, entry = NULL, home_advantage = NULL, home_in_update = NULL,
    carry_over = NULL, carry_to = NULL, half_life = NULL, carry_pauses = NULL,
    overrides = NULL, period = NULL, within = NULL, k_periods = NULL, fide = NULL,
    preset = NULL) {
  .verb("likelihood_surface", match.call(), environment())
}

over_time <- function(data, measure = "steepness_bayes", window = "1y", step = NULL,
    value = NULL, min_contests = 10, seed = NULL, threads = NULL,
    progress = interactive(), ...) {
  .verb("over_time", match.call(), environment())
}

predict_contests <- function(ratings, fixtures, home_advantage = NULL,
    ties = c("davidson", "omit"), at = NULL, level = 0.95, home = NULL, away = NULL,
    neutral = NULL, a = NULL, b = NULL, season = NULL, new_season = FALSE,
    newcomers = FALSE, calibrate = FALSE) {
  .verb("predict", match.call(), environment())
}

tune <- function(data, over = NULL, rater = c("elo", "glicko", "glicko2"),
    criterion = c("log_loss", "brier", "accuracy"), test_from = NULL, skip = 0,
    level = 0.95, runs = 1000, seed = NULL, threads = NULL, progress = interactive(),
    presence = NULL, k = NULL, k_column = NULL, curve = NULL, scale = NULL,
    delta = NULL, sd = NULL, start = NULL, outcome = NULL, margin = NULL,
    margin_correction = NULL, burn_in = NULL, entry = NULL, home_advantage = NULL,
    home_in_update = NULL, carry_over = NULL, carry_to = NULL, half_life = NULL,
    carry_pauses = NULL, overrides = NULL, period = NULL, within = NULL,
    k_periods = NULL, fide = NULL, preset = NULL) {
  .verb("tune", match.call(), environment())
}

study <- function(data, by = "group",
    measures = c("steepness_bayes", "linearity", "transitivity", "consistency"),
    folder = NULL, seed = NULL, progress = interactive(), ...) {
  .verb("study", match.call(), environment())
}

bradley_terry <- function(data,
    ties = c("davidson", "rao-kupper", "omit", "half", "both"), penalized = FALSE,
    prior_sd = NULL, errors = NULL, home_advantage = NULL, covariates = NULL,
    standardize = FALSE, weights = NULL, equal_pairs = FALSE, robust = NULL,
    bootstrap = NULL, cluster = NULL, seed = NULL, threads = NULL, anchor = NULL,
    scale = NULL, progress = interactive()) {
  .verb("bradley_terry", match.call(), environment())
}

davids_score <- function(data, index = c("dij", "pij", "binomial"),
    ties = c("omit", "half", "both")) {
  .verb("davids_score", match.call(), environment())
}

isi <- function(data, ties = c("omit", "half", "both"), time_limit = 10, seed = NULL,
    progress = interactive()) {
  .verb("isi", match.call(), environment())
}

adaptive <- function(data, home_advantage = NULL, covariates = NULL, presence = NULL,
    ties = c("davidson", "omit"), within = c("batch", "file"), scale = NULL,
    delta = NULL, samples = 4000, seed = NULL, level = 0.95, threads = NULL) {
  .verb("adaptive", match.call(), environment())
}

change_points <- function(data, most = 5, level = 0.95, threads = NULL,
    progress = interactive(), ...) {
  .verb("change_points", match.call(), environment())
}

dynamic <- function(data, clock = c("contests", "time"), home_advantage = NULL,
    covariates = NULL, presence = NULL, ties = c("davidson", "omit"),
    prior = c("openings", "normal"), elo = FALSE, static = FALSE, scale = NULL,
    delta = NULL, samples = 4000, seed = NULL, level = 0.95, threads = NULL) {
  .verb("dynamic", match.call(), environment())
}

elo <- function(data, presence = NULL, k = NULL, k_column = NULL, curve = NULL,
    scale = NULL, delta = NULL, sd = NULL, start = NULL, outcome = NULL,
    margin = NULL, margin_correction = NULL, burn_in = NULL, entry = NULL,
    home_advantage = NULL, home_in_update = NULL, carry_over = NULL, carry_to = NULL,
    half_life = NULL, carry_pauses = NULL, overrides = NULL, period = NULL,
    within = NULL, k_periods = NULL, fide = NULL, preset = NULL) {
  .verb("elo", match.call(), environment())
}

elo_bayes <- function(data, k = NULL, sigma = NULL, home_advantage = NULL,
    home_in_update = FALSE, centering = c("none", "present"), presence = NULL,
    ties = c("davidson", "omit"), prior_sigma = 1, prior_k = 1, prior_nu = 1,
    prior_home = 1, shared = c("sigma", "k"), scale = NULL, delta = NULL, chains = 4,
    warmup = 500, samples = 1500, accept = 0.8, seed = NULL, level = 0.95,
    threads = NULL, progress = interactive(), large = FALSE) {
  .verb("elo_bayes", match.call(), environment())
}

elo_ml <- function(data, estimate = c("k", "start"), k = NULL, start = NULL,
    scale = NULL, delta = NULL, home_advantage = NULL, home_in_update = FALSE,
    ties = c("davidson", "omit"), presence = NULL, burn_in = NULL, penalized = FALSE,
    prior_sd = 2, min_contests = NULL, one_sided = FALSE, level = 0.95,
    preset = NULL, bootstrap = NULL, asymptotic = FALSE, seed = NULL, threads = NULL,
    progress = interactive()) {
  .verb("elo_ml", match.call(), environment())
}

randomized_elo <- function(data, runs = 1000, seed = NULL, k = NULL, start = NULL,
    curve = NULL, scale = NULL, delta = NULL, sd = NULL, outcome = NULL,
    margin = NULL, k_column = NULL, preset = NULL, level = 0.95, threads = NULL,
    progress = interactive()) {
  .verb("randomized_elo", match.call(), environment())
}

prior_ranks <- function(ranks, mean = 1000, step = 100) {
  .verb("prior_ranks", match.call(), environment())
}

write_report <- function(data, path, at = NULL, start = NULL, end = NULL,
    methods = NULL, k = NULL, preset = NULL, ties = c("omit", "half", "both"),
    runs = 10000, recovery = FALSE, title = NULL, seed = NULL, threads = NULL,
    progress = interactive()) {
  .verb("report", match.call(), environment())
}

power_study <- function(individuals = 10, spread = 3, target = NULL, goal = NULL,
    within = 0.1, rate = NULL, effort = NULL, method = NULL, meeting = NULL,
    unknown = 0, strengths = "grid", runs = 100, seed = NULL, threads = NULL,
    progress = interactive(), ...) {
  .verb("power", match.call(), environment())
}

recovery <- function(data, method = NULL, runs = 200, effort = NULL, seed = NULL,
    threads = NULL, progress = interactive(), ...) {
  .verb("recovery", match.call(), environment())
}

hierarchy_shape <- function(data, order = NULL, ties = c("omit", "half", "both"),
    level = 0.95) {
  .verb("hierarchy_shape", match.call(), environment())
}

linearity <- function(data, ties = c("omit", "half", "both"), runs = 10000,
    seed = NULL, threads = NULL, progress = interactive()) {
  .verb("linearity", match.call(), environment())
}

order_test <- function(data, null = c("strengths", "dyads"), collapse_bouts = FALSE,
    runs = 199, power_runs = NULL, seed = NULL, threads = NULL,
    progress = interactive()) {
  .verb("order_test", match.call(), environment())
}

stability <- function(ratings, rule = NULL) {
  .verb("stability", match.call(), environment())
}

steepness <- function(data, index = c("dij", "pij", "binomial"),
    ties = c("omit", "half", "both"), null = c("uniform", "binomial"), runs = 10000,
    seed = NULL, threads = NULL, progress = interactive()) {
  .verb("steepness", match.call(), environment())
}

steepness_bayes <- function(data, at = NULL, ties = c("omit", "davidson"),
    prior = c("openings", "normal"), fair_coins = NULL, preset = NULL, orders = NULL,
    sigma = NULL, prior_k = NULL, chains = NULL, warmup = NULL, samples = NULL,
    seed = NULL, threads = NULL, progress = interactive()) {
  .verb("steepness_bayes", match.call(), environment())
}

steepness_difference <- function(one, other) {
  .verb("steepness_difference", match.call(), environment())
}

consistency <- function(data, ties = c("omit", "half", "both"), runs = 10000,
    seed = NULL, threads = NULL, progress = interactive()) {
  .verb("consistency", match.call(), environment())
}

transitivity <- function(data, ties = c("omit", "half", "both"),
    null = c("census", "types"), runs = 10000, seed = NULL, threads = NULL,
    progress = interactive()) {
  .verb("transitivity", match.call(), environment())
}

visit_gaps <- function(visits, thresholds = NULL, overlap = "omit", min_stay = 0,
    merge = NULL, missing_end = "refuse", individual = NULL, place = NULL,
    start = NULL, end = NULL, date = NULL, date_format = NULL, missing = "refuse",
    sheet = NULL, separator = NULL, encoding = NULL, header = NULL, glob = NULL) {
  .verb("visit_gaps", match.call(), environment())
}

adagio <- function(data, preprocess = TRUE, direction = c("bottom_up", "top_down"),
    ties = c("omit", "half", "both")) {
  .verb("orders.adagio", match.call(), environment())
}

dominance_value <- function(data, classes = 3, ties = c("omit", "half", "both")) {
  .verb("orders.dominance_value", match.call(), environment())
}

fill_unknown <- function(data, by) {
  .verb("orders.fill_unknown", match.call(), environment())
}

index_error <- function(contests, chance = NULL) {
  .verb("orders.index_error", match.call(), environment())
}

indices <- function(data,
    rank_by = c("clutton_brock", "proportion", "adi", "dominated", "expected_beaten"),
    ties = c("omit", "half", "both")) {
  .verb("orders.indices", match.call(), environment())
}

matrix_correlation <- function(data, behavior, method = c("rowwise", "mantel"),
    against = c("distance", "rank"), runs = 10000, seed = NULL) {
  .verb("orders.matrix_correlation", match.call(), environment())
}

network <- function(data, order = NULL, ties = c("omit", "half", "both")) {
  .verb("orders.network", match.call(), environment())
}

percolation <- function(data, max_length = 4, alpha = NULL, beta = 1,
    ties = c("omit", "half", "both"), runs = 10, time_limit = 10, seed = NULL,
    threads = NULL, progress = interactive()) {
  .verb("orders.percolation", match.call(), environment())
}

period_ranks <- function(data, per = "year",
    method = c("elo", "davids_score", "reorder"), initial = NULL,
    convention = c("none", "maternal", "tenure", "age", "attribute"), traits = NULL,
    k = 200, delta = 0.01, ties = c("omit", "half", "both")) {
  .verb("orders.period_ranks", match.call(), environment())
}

rank_distance <- function(data, signed = FALSE) {
  .verb("orders.rank_distance", match.call(), environment())
}

repeatability <- function(data, runs = 1000, seed = NULL, threads = NULL,
    progress = interactive(), ...) {
  .verb("orders.repeatability", match.call(), environment())
}

skew <- function(source, individual = NULL, benefits = NULL, time = NULL,
    order = NULL, runs = 10000, seed = NULL) {
  .verb("orders.skew", match.call(), environment())
}

splitting <- function(data, runs = 1000, seed = NULL, threads = NULL,
    progress = interactive(), ...) {
  .verb("orders.splitting", match.call(), environment())
}

areas <- function(ratings, individuals = NULL) {
  .verb("sport.areas", match.call(), environment())
}

audit_votes <- function(board, voter = "voter", level = 0.95, runs = 200, seed = NULL) {
  .verb("sport.audit_votes", match.call(), environment())
}

bracket <- function(ratings, seeds, best_of = 1, hosts = NULL, reseed = FALSE) {
  .verb("sport.bracket", match.call(), environment())
}

chances_from_odds <- function(odds, method = c("proportional", "shin")) {
  .verb("sport.chances_from_odds", match.call(), environment())
}

finish_chances <- function(season, ...) {
  .verb("sport.finish_chances", match.call(), environment())
}

glicko <- function(data, start = NULL, deviation = NULL, c = NULL,
    max_deviation = 350, period = NULL, outcome = c("win", "points"),
    home_advantage = 0, preset = NULL, level = 0.95) {
  .verb("sport.glicko", match.call(), environment())
}

glicko2 <- function(data, start = NULL, deviation = NULL, volatility = NULL,
    tau = NULL, max_deviation = 350, period = NULL, outcome = "win",
    home_advantage = 0, preset = NULL, level = 0.95) {
  .verb("sport.glicko2", match.call(), environment())
}

home_advantages <- function(ratings, pooled = TRUE, skip = 0, level = 0.95) {
  .verb("sport.home_advantages", match.call(), environment())
}

league_table <- function(data, points = c(3, 1, 0),
    tie_breaks = c("difference", "scored"), individuals = NULL) {
  .verb("sport.league_table", match.call(), environment())
}

outside_forecast <- function(data, odds = NULL, chances = NULL,
    margin = c("proportional", "shin")) {
  .verb("sport.outside_forecast", match.call(), environment())
}

plackett_luce <- function(data, fill = c("first", "last"),
    strength = c("sum", "mean"), share = NULL, penalized = NULL, prior_sd = NULL,
    covariates = NULL, cluster = NULL) {
  .verb("sport.plackett_luce", match.call(), environment())
}

read_fields <- function(source, contest = NULL, individual = NULL, place = NULL,
    side = NULL, order = NULL, winner = NULL, loser = NULL, tie = NULL, date = NULL,
    weight = NULL, members = "&", unplaced = "refuse", ties = c("keep", "refuse"),
    sheet = NULL) {
  .verb("sport.read_fields", match.call(), environment())
}

simulate_season <- function(ratings, fixtures, points = c(1, 0.5, 0),
    standings = NULL, finish = NULL, divisions = NULL, playoffs = NULL,
    tie_breaks = NULL, k = NULL, home_advantage = NULL, ties = "davidson",
    runs = 10000, level = 0.95, seed = NULL, threads = NULL,
    progress = interactive(), home = NULL, away = NULL, neutral = NULL, a = NULL,
    b = NULL, season = NULL, new_season = FALSE, newcomers = FALSE, keep_runs = FALSE) {
  .verb("sport.simulate_season", match.call(), environment())
}

win_share <- function(ratings, until = NULL) {
  .verb("sport.win_share", match.call(), environment())
}

dominance_style <- function(data, ties = c("omit", "half", "both"), runs = 10000,
    seed = NULL, threads = NULL, progress = interactive()) {
  .verb("questions.dominance_style", match.call(), environment())
}

fragility <- function(data, claim,
    method = c("bradley_terry", "elo", "dynamic", "davids_score", "isi", "randomized_elo", "elo_ml", "adaptive", "percolation", "adagio", "glicko"),
    unit = "contest", runs = 400, seed = NULL, progress = interactive(), ...) {
  .verb("questions.fragility", match.call(), environment())
}

multiverse <- function(data, claim, choices = NULL, seed = NULL,
    progress = interactive()) {
  .verb("questions.multiverse", match.call(), environment())
}

next_pairs <- function(ratings, size = 10, top = NULL, allowed = NULL, level = 0.95,
    seed = NULL, progress = interactive()) {
  .verb("questions.next_pairs", match.call(), environment())
}

stress <- function(data, event = c("takeover", "leap", "loss", "joiner"), k = NULL,
    runs = 100, seed = NULL, progress = interactive()) {
  .verb("questions.stress", match.call(), environment())
}

paper_contests <- function(paper, data = NULL, presence = NULL) {
  .verb("papers.contests", match.call(), environment())
}

reproduce <- function(paper, data = NULL) {
  .verb("papers.reproduce", match.call(), environment())
}

simulate_coalitionary_leap <- function(individuals = 25, contests = c(1000, 2000),
    groups = 5, leaping = 3, spread = 6, meeting = "equal", seed = NULL) {
  .verb("simulate.coalitionary_leap", match.call(), environment())
}

simulate_hierarchy <- function(individuals = 10, contests = 500, strengths = "grid",
    spread = 3, meeting = c("equal", "by_rank", "by_closeness"), chances = NULL,
    initiative = 1, starter_advantage = 0, curve = NULL, nu = 0, presence = NULL,
    seed = NULL) {
  .verb("simulate.hierarchy", match.call(), environment())
}

simulate_high_dimensional <- function(individuals = 44, contests = 1000,
    spread = 2.62, meeting = "by_closeness", seed = NULL) {
  .verb("simulate.high_dimensional", match.call(), environment())
}

simulate_like <- function(ratings, effort = 1, seed = NULL) {
  .verb("simulate.like", match.call(), environment())
}

simulate_long_term <- function(individuals = 12, contests = 1800, years = 30,
    stay = 8, takeovers = 5, drift = 0.3, spread = 2,
    meeting = c("equal", "by_rank", "by_closeness"), seed = NULL) {
  .verb("simulate.long_term", match.call(), environment())
}

simulate_mortality <- function(individuals = 10, contests = c(1000, 1000, 1000),
    removed = 2, shuffle_every = 50, spread = 6, meeting = "equal", seed = NULL) {
  .verb("simulate.mortality", match.call(), environment())
}

simulate_periods <- function(periods,
    meeting = c("equal", "by_rank", "by_closeness"), initiative = 1,
    starter_advantage = 0, curve = NULL, nu = 0, seed = NULL) {
  .verb("simulate.periods", match.call(), environment())
}

simulate_rank_error <- function(ratings, truth, every = 1, among = NULL) {
  .verb("simulate.rank_error", match.call(), environment())
}

simulate_self_organizing <- function(individuals = 13, contests_per_dyad = 280,
    k = NULL, model = c("elo", "theraulaz_step", "theraulaz_ratio", "dodom"),
    curve = "table", eta = NULL, start = NULL, schedule = NULL, runs = 1,
    seed = NULL, threads = NULL, progress = interactive()) {
  .verb("simulate.self_organizing", match.call(), environment())
}

simulate_settling <- function(data, runs = 200, level = 0.95, seed = NULL, ...) {
  .verb("simulate.settling", match.call(), environment())
}

simulate_takeover <- function(individuals = 10, contests = c(2000, 2000), spread = 6,
    meeting = "equal", seed = NULL) {
  .verb("simulate.takeover", match.call(), environment())
}

simulate_unbalanced <- function(individuals = 10, contests = c(2000, 2000),
    spread = 6, meeting = c("by_rank", "by_closeness"), seed = NULL) {
  .verb("simulate.unbalanced", match.call(), environment())
}

simulate_winner_effect <- function(k = c(20, 50, 100, 200, 368), individuals = 13,
    contests_per_dyad = 5, curve = "table", runs = 200, seed = NULL, threads = NULL) {
  .verb("simulate.winner_effect", match.call(), environment())
}

k_from_effect <- function(chance, curve = "table") {
  .verb("curves.k_from_effect", match.call(), environment())
}

plot_trajectories <- function(ratings, individuals = NULL, highlight = NULL,
    over = NULL, ribbons = NULL, separate = FALSE, width = NULL, file = NULL) {
  .plotted("trajectories", match.call(), environment())
}

plot_calibration <- function(found, width = NULL, file = NULL) {
  .plotted("calibration", match.call(), environment())
}

plot_likelihood <- function(found, marks = NULL, width = NULL, file = NULL) {
  .plotted("likelihood", match.call(), environment())
}

plot_posterior <- function(found, part = NULL, width = NULL, file = NULL) {
  .plotted("posterior", match.call(), environment())
}

plot_weights <- function(ratings, part = c("drift", "spread"), over = NULL,
    width = NULL, file = NULL) {
  .plotted("weights", match.call(), environment())
}

plot_matrix <- function(data, order = NULL, show = NULL,
    ties = c("omit", "half", "both"), width = NULL, file = NULL) {
  .plotted("matrix", match.call(), environment())
}

plot_against <- function(study, over = "individuals", measure = NULL, value = NULL,
    covariates = NULL, width = NULL, file = NULL) {
  .plotted("against", match.call(), environment())
}

plot_forest <- function(study, measure = NULL, value = NULL, width = NULL,
    file = NULL) {
  .plotted("forest", match.call(), environment())
}

plot_matrices <- function(data, by = NULL, ties = c("omit", "half", "both"),
    width = NULL, file = NULL) {
  .plotted("matrices", match.call(), environment())
}

plot_rank_probabilities <- function(found, at = NULL, individuals = NULL,
    width = NULL, file = NULL) {
  .plotted("rank_probabilities", match.call(), environment())
}

plot_network <- function(found, order = NULL, ties = c("omit", "half", "both"),
    edges = NULL, width = NULL, file = NULL) {
  .plotted("network", match.call(), environment())
}

plot_compare <- function(found, individuals = NULL, highlight = NULL, width = NULL,
    file = NULL) {
  .plotted("compare", match.call(), environment())
}

plot_ranks <- function(found, level = 0.95, at = NULL, individuals = NULL,
    width = NULL, file = NULL) {
  .plotted("ranks", match.call(), environment())
}

plot_over_time <- function(found, width = NULL, file = NULL) {
  .plotted("over_time", match.call(), environment())
}

plot_change_points <- function(found, width = NULL, file = NULL) {
  .plotted("change_points", match.call(), environment())
}

plot_presence <- function(data, width = NULL, file = NULL) {
  .plotted("presence", match.call(), environment())
}

plot_tenure <- function(ratings, rank = 1, width = NULL, file = NULL) {
  .plotted("tenure", match.call(), environment())
}

plot_fragility <- function(found, width = NULL, file = NULL) {
  .plotted("fragility", match.call(), environment())
}

plot_multiverse <- function(found, width = NULL, file = NULL) {
  .plotted("multiverse", match.call(), environment())
}

plot_next_pairs <- function(found, width = NULL, file = NULL) {
  .plotted("next_pairs", match.call(), environment())
}

plot_stress <- function(found, width = NULL, file = NULL) {
  .plotted("stress", match.call(), environment())
}

plot_bracket <- function(chances, width = NULL, file = NULL) {
  .plotted("bracket", match.call(), environment())
}

plot_places <- function(season, finish = NULL, width = NULL, file = NULL) {
  .plotted("places", match.call(), environment())
}

plot_power <- function(found, width = NULL, file = NULL) {
  .plotted("power", match.call(), environment())
}

plot_recovery <- function(found, part = NULL, width = NULL, file = NULL) {
  .plotted("recovery", match.call(), environment())
}

plot_dominance_style <- function(found, width = NULL, file = NULL) {
  .plotted("dominance_style", match.call(), environment())
}

plot_gaps <- function(found, width = NULL, file = NULL) {
  .plotted("gaps", match.call(), environment())
}

plot_shape <- function(found, width = NULL, file = NULL) {
  .plotted("shape", match.call(), environment())
}

plot_steepness <- function(found, part = NULL, width = NULL, file = NULL) {
  .plotted("steepness", match.call(), environment())
}

plot_summed_probability <- function(found, width = NULL, file = NULL) {
  .plotted("summed_probability", match.call(), environment())
}

plot_bump <- function(ratings, individuals = NULL, highlight = NULL, periods = NULL,
    width = NULL, file = NULL) {
  .plotted("bump", match.call(), environment())
}

elo_rater <- function(individuals = NULL, k = NULL, k_column = NULL, curve = NULL,
    scale = NULL, delta = NULL, sd = NULL, start = NULL, outcome = NULL,
    margin = NULL, margin_correction = NULL, burn_in = NULL, entry = NULL,
    home_advantage = NULL, home_in_update = NULL, carry_over = NULL, carry_to = NULL,
    half_life = NULL, carry_pauses = NULL, overrides = NULL, period = NULL,
    within = NULL, k_periods = NULL, fide = NULL, preset = NULL) {
  .verb("EloRater", match.call(), environment())
}

field_rater <- function(strength = "sum", tie = 0.3) {
  .verb("sport.FieldRater", match.call(), environment())
}

adaptive_rater <- function() {
  .verb("sport.AdaptiveRater", match.call(), environment())
}

curve_logistic <- function(scale = 400, base = 10) {
  .verb("curves.Logistic", match.call(), environment())
}

curve_exponential <- function(delta = 0.01) {
  .verb("curves.Exponential", match.call(), environment())
}

curve_normal <- function(sd = 282.842712474619) {
  .verb("curves.Normal", match.call(), environment())
}

curve_table <- function() {
  .verb("curves.Table", match.call(), environment())
}
