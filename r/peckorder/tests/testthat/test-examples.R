# Made by r/generate.py from the Python functions: change those.

skip_if_not(is_installed(), "the Python package")

test_that("read_presence", {
  same(read_presence(list(id = c("Abe", "Bo"), start = c("2009-01-01", "2009-01-01"), end = c("2009-06-30", ""))), "Presence: 2 stints of 2 individuals, from 2009-01-01")
})

test_that("propose", {
  sheet <- list(winner = c("Abe", "Bo", "unknown"), loser = c("Bo", "Cy", "Abe"))
  both <- propose(sheet)
  recipe <- both[[1]]
  doubts <- both[[2]]
  same(doubts[[1]], "\"unknown\": may stand for no identified individual (1 contest)")
  same(read_contests(sheet, recipe = recipe$decide(doubts[[1]], 0)), "Contests: 2 contests among 3 individuals (Abe, Bo, Cy)")
})

test_that("read_contests", {
  same(read_contests(data.frame(winner = c("Abe", "Bo", "Abe"), loser = c("Bo", "Cy", "Cy"))), "Contests: 3 contests among 3 individuals (Abe, Bo, Cy)")
})

test_that("calibration", {
  found <- calibration(elo(example_contests("adv"), k = 200), bins = 2)
  same(found$table[["contests"]], c(20, 13))
  same(round(found$error, 3), 0.026)
})

test_that("compare", {
  found <- compare(example_contests("adv"), k = 200, seed = 1)
  same(round(found$spearman[["elo"]][["isi"]], 3), 0.964)
})

test_that("compare_models", {
  data <- example_contests("adv")
  models <- list(`k = 200` = elo(data, k = 200), `k = 100` = elo(data, k = 100))
  found <- compare_models(models, seed = 1)
  same(found$highest, "k = 200")
  same(round(found$table[["score"]], 2), c(-17.13, -18.46))
})

test_that("evaluate", {
  found <- evaluate(elo(example_contests("adv"), k = 200), seed = 1)
  same(found$foresight[["correct"]], 24)
  same(found$foresight[["equal"]], 1)
  same(found$hindsight[["correct"]], 29)
})

test_that("without", {
  found <- without(example_contests("adv"), individuals = "a", method = "ml", penalized = TRUE)
  same(found$left_out, 1)
  same(found$contests_lost, 11)
})

test_that("likelihood_surface", {
  found <- likelihood_surface(example_contests("adv"), over = list(k = c(0, 400)), curve = "normal")
  same(found$best, c(k = 256))
  same(round(found$value, 3), -16.942)
})

test_that("over_time", {
  data <- example_contests("adv")
  found <- over_time(data, "linearity", window = 17, step = 8, seed = 1)
  same(round(found$table[["value"]], 2), c(0.39, 0.39, 0.59))
})

test_that("predict_contests", {
  ratings <- elo(example_contests("adv"), k = 200)
  same(round(predict_contests(ratings, fixtures = list(c("b", "c"), c("a", "b")))$table[["p_a"]], 3), c(0.689, 0.01))
})

test_that("study", {
  groups <- list(bonobos = example_contests("bonobos"), adv = example_contests("adv"))
  study <- study(groups, measures = c("linearity", "isi"), executor = 1, seed = 1)
  same(round(study$table[["linearity"]], 3), c(0.857, 0.554))
  same(study$table[["status"]], c("complete", "complete"))
})

test_that("bradley_terry", {
  fit <- bradley_terry(example_contests("adv"), penalized = TRUE)
  same(as.character(fit), c("b", "c", "d", "e", "f", "g", "a"))
  same(length(fit$components), 3)
})

test_that("davids_score", {
  scores <- davids_score(example_contests("bonobos"))
  same(round(scores$table[["normds"]], 2), c(4.57, 4.38, 4.06, 3.12, 1.96, 1.74, 1.17))
})

test_that("isi", {
  order <- isi(example_contests("adv"))
  same(order$value, 1)
  same(order$strength, 2)
  same(order$orders, 3)
  same(order$proved, TRUE)
  same(as.character(order), c("b", "c", "d", "g", "f", "e", "a"))
})

test_that("adaptive", {
  found <- adaptive(example_contests("adv"), seed = 1)
  same(round(found$log_loss, 3), 18.62)
  same(found$log_loss - found$elo_log_loss < 0.694, TRUE)
})

test_that("change_points", {
  both <- simulate_takeover(8, c(150, 150), spread = 3, seed = 1)
  truth <- both[[1]]
  data <- both[[2]]
  found <- change_points(data)
  same(found$value, 1)
  same(found$table[["contest"]], 152)
})

test_that("dynamic", {
  found <- dynamic(example_contests("adv"), seed = 1)
  same(round(found$log_bf_drift, 2), 0.33)
})

test_that("elo_bayes", {
  post <- elo_bayes(example_contests("adv"), seed = 1)
  same(post$outranks("b", "a") > 0.99, TRUE)
  same(round(post$rhat_max, 2), 1)
})

test_that("elo_ml", {
  fit <- elo_ml(example_contests("adv"), estimate = "k")
  same(round(fit$k, 3), 1.59)
  same(round(fit$log_likelihood, 3), -16.9)
})

test_that("randomized_elo", {
  order <- randomized_elo(example_contests("adv"), preset = "aniDom", seed = 1)
  same(as.character(order), c("b", "c", "d", "e", "f", "g", "a"))
  same(round(order$repeatability, 2), 0.85)
})

test_that("power_study", {
  found <- power_study(6, 2, target = "linearity", rate = 4, runs = 40, seed = 1)
  same(20 < found$contests && found$contests < 200, TRUE)
  same(isTRUE(all.equal(found$hours, found$contests / 4)), TRUE)
  both <- power_study(8, 3, effort = c(50, 400), runs = 20, seed = 1)$table[["rank_mae"]]
  few <- both[[1]]
  many <- both[[2]]
  same(few > many, TRUE)
})

test_that("hierarchy_shape", {
  same(hierarchy_shape(example_contests("bonobos"))$summary[[1]], "The higher-ranked individual won 96% of contests: 57% at a rank difference of 1, 100% at 5.")
})

test_that("linearity", {
  found <- linearity(example_contests("bonobos"))
  same(round(found$value, 6), 0.857143)
  same(round(found$p, 5), 0.02764)
  same(found$exact, TRUE)
})

test_that("order_test", {
  found <- order_test(example_contests("adv"), seed = 1)
  same(found$p > 0.05, TRUE)
  same(found$contests, 33)
})

test_that("stability", {
  found <- stability(elo(example_contests("adv"), k = 200, preset = "EloRating"))
  same(round(found$value, 4), 0.9679)
  same(round(found$unweighted, 4), 0.9206)
  same(found$rule, "interpolated")
})

test_that("steepness", {
  steep <- steepness(example_contests("bonobos"), runs = 1000, seed = 1)
  same(round(steep$value, 5), 0.62838)
  same(round(steep$intercept, 5), 5.5135)
  same(steep$p < 0.002, TRUE)
})

test_that("steepness_bayes", {
  steep <- steepness_bayes(example_contests("bonobos"), seed = 1)
  same(round(steep$value, 2), 0.91)
  same(steep$expected$high < steep$value$low, TRUE)
  published <- steepness_bayes(example_contests("bonobos"), preset = "EloSteepness", orders = 2, seed = 1)
  same(round(published$value, 1), 0.9)
  same(round(published$davids, 1), 0.8)
})

test_that("consistency", {
  found <- consistency(example_contests("bonobos"), seed = 1)
  same(round(found$value, 4), 0.9474)
  same(round(found$phi, 5), 0.48127)
})

test_that("transitivity", {
  found <- transitivity(example_contests("bonobos"), seed = 1)
  same(found$pt, 1)
  same(found$triads, 22)
  same(found$p < 0.05, TRUE)
})

test_that("indices", {
  same(round(indices(example_contests("bonobos"))$table[["clutton_brock"]], 3), c(19, 2.143, 1.3, 1, 0.632, 0.583, 0.227))
})

test_that("network", {
  found <- network(example_contests("bonobos"))
  same(found$known, 18)
  same(found$unknown, 3)
  same(found$upward, 1)
})

test_that("percolation", {
  found <- percolation(example_contests("bonobos"))
  same(as.character(found), c("He", "Dz", "Ho", "De", "Re", "Ko", "Ki"))
  same(found$unknown, 3)
  same(found$imputed, 3)
  same(found$proved, TRUE)
})

test_that("skew", {
  found <- skew(c(a = 8, b = 2, c = 0, d = 0), runs = 1000, seed = 1)
  same(round(found$value, 3), 0.355)
  same(found$p < 0.01, TRUE)
  same(round(found$lambda_, 3), 0.831)
})

test_that("areas", {
  found <- areas(elo(example_contests("adv"), k = 200), individuals = c("b", "c"))
  same(found$table[["individual"]], c("c", "b"))
  same(round(found$above[["b"]][["c"]], 2), 0.27)
})

test_that("bracket", {
  ratings <- elo(example_contests("adv"), k = 200)
  same(round(bracket(ratings, c("b", "a", "c", "d"))[["title"]], 3), c(0.687, 0, 0.162, 0.15))
})

test_that("finish_chances", {
  ratings <- elo(example_contests("adv"), k = 200)
  fixtures <- list(c("b", "c"), c("c", "d"), c("d", "b"))
  found <- simulate_season(ratings, fixtures = fixtures, runs = 2000, seed = 1)
  chances <- finish_chances(found, title = 1, last = -1, not_last = c(1, 2))
  same(names(chances), c("individual", "title", "last", "not_last"))
  same(round(sum(chances[["title"]]), 6), 1)
})

test_that("glicko", {
  found <- glicko(example_contests("adv"), start = 1500, deviation = 200)
  same(round(found[["b"]], 1), 1710.8)
  same(round(found$probability("b", "a"), 3), 0.933)
})

test_that("glicko2", {
  found <- glicko2(example_contests("adv"), start = 1500, deviation = 200)
  same(round(found[["b"]], 1), 1741.2)
  same(round(found$probability("b", "a"), 3), 0.945)
})

test_that("home_advantages", {
  games <- read_contests(data.frame(home = c("a", "b", "c", "a", "b"), away = c("b", "c", "a", "c", "a"), home_goals = c(2, 1, 0, 3, 1), away_goals = c(1, 0, 2, 0, 0)))
  found <- home_advantages(elo(games, k = 20))
  same(round(found$value), 246)
  same(found$table[["contests"]], c(2, 2, 1))
})

test_that("plackett_luce", {
  races <- list(order = c("Ada > Bo > Cy", "Bo > Ada > Cy", "Cy > Ada > Bo", "Ada > Cy > Bo"))
  fit <- plackett_luce(races)
  same(as.character(fit), c("Ada", "Bo", "Cy"))
  same(round(fit$probability("Ada", "Cy"), 2), 0.73)
})

test_that("simulate_season", {
  ratings <- elo(example_contests("adv"), k = 200)
  fixtures <- list(c("b", "c"), c("c", "d"), c("d", "b"))
  found <- simulate_season(ratings, fixtures = fixtures, runs = 2000, seed = 1)
  same(found$table[["individual"]], c("b", "d", "c"))
})

test_that("win_share", {
  found <- win_share(elo(example_contests("adv"), k = 200))
  same(round(found$correlation, 3), 0.944)
  same(round(found$mad, 3), 0.073)
})

test_that("dominance_style", {
  same(dominance_style(example_contests("bonobos"), seed = 1)$summary[[1]], "Linear (h′ 0.86, 0.38 by chance, p = 0.028) and steep (0.63, 0.27 by chance, p < 0.001), as in despotic groups.")
})

test_that("fragility", {
  found <- fragility(example_contests("adv"), "b first", seed = 1)
  same(found$summary[[1]], "b ranks first (Bradley–Terry); without 1 of 33 contests (row 33, b beat c) c would rank first.")
})

test_that("multiverse", {
  found <- multiverse(example_contests("adv"), "b > c", seed = 1)
  same(found$holds, 7)
  same(found$analyses, 9)
  same(round(found$share, 2), 0.83)
  same(found$decisive, "method")
})

test_that("next_pairs", {
  ratings <- dynamic(example_contests("adv"), static = TRUE, seed = 1)
  found <- next_pairs(ratings, size = 3, seed = 1)
  same(round(found$expected_misordered, 2), 0.14)
  same(found$stop, FALSE)
})

test_that("stress", {
  found <- stress(example_contests("adv"), runs = 20, seed = 1)
  same(found$elo > found$elo_without, TRUE)
  same(found$dynamic < 0.3, TRUE)
})

test_that("paper_contests", {
  same(length(paper_contests("albers2001")), 33)
})

test_that("reproduce", {
  found <- reproduce("devries2006")
  same(found$summary[[1]], "199 of 207 numbers agree with the paper; 4 agree with a setting chosen for it; 4 do not.")
})

test_that("simulate_hierarchy", {
  both <- simulate_hierarchy(individuals = 10, contests = 500, seed = 1)
  truth <- both[[1]]
  data <- both[[2]]
  same(data, "Contests: 500 contests among 10 individuals (i02, i03, i04, i07, i10, i09, …)")
})

test_that("simulate_like", {
  data <- example_contests("adv")
  both <- simulate_like(elo(data, k = 200), seed = 1)
  truth <- both[[1]]
  again <- both[[2]]
  same(length(again), 33)
  same(isTRUE(all.equal(again$individuals, truth$individuals)), TRUE)
})

test_that("simulate_long_term", {
  both <- simulate_long_term(8, 400, years = 10, takeovers = 2, seed = 1)
  truth <- both[[1]]
  data <- both[[2]]
  same(names(truth$tenure()), c("individual", "start", "end", "days"))
})

test_that("simulate_self_organizing", {
  found <- simulate_self_organizing(k = 200, runs = 20, seed = 1)
  same(round(found$h, 2), 1)
  same(5000 < found$range && found$range < 6000, TRUE)
})

test_that("simulate_settling", {
  found <- simulate_settling(example_contests("adv"), k = 200, runs = 50, seed = 1)
  same(found$low < found$high && found$high <= found$contests, TRUE)
})

test_that("simulate_winner_effect", {
  same(simulate_winner_effect(368, runs = 20, seed = 1)$table[["equals"]], 0.74)
})

test_that("elo_rater", {
  rater <- elo_rater(k = 100, start = c(A = 1200, B = 1000), curve = "table")
  same(rater$update("A", "B"), 0.76)
  same(rater$ratings, c(A = 1224, B = 976))
})

test_that("adaptive_rater", {
  whole <- adaptive(list(c("Ada", "Bo")), seed = 1)
  same(round(whole$probability("Ada", "Bo"), 2), 0.68)
})
