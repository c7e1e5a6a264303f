# Numbers of the Python tests, in the forms of R.

skip_if_not(is_installed(), "the Python package")

test_that("the presets give the numbers of other packages", {
  # EloRating 0.46.19: extract_elo(elo.seq(adv$winner, adv$loser, adv$Date, k = 200))
  rated <- elo(adv, k = 200, preset = "EloRating")
  expect_equal(stats::setNames(rated$table$rating, rated$table$individual),
               c(b = 1319, c = 1182, d = 1177, f = 1048, e = 1009, g = 732, a = 533))
  expect_equal(round(sum(log(rated$history$expected)), 5), -17.09246)  # likelo(res)
  expect_equal(round(stability(rated)$value, 4), 0.9679)  # stab_elo(res)
  # aniDom 0.1.5: elo_scores(winners, losers, K = 200)
  expect_equal(round(elo(adv, preset = "aniDom")$table$rating, 1), c(290.8, 140.2, 108.9, 73.7, 8.9, -223.1, -399.3))
  # de Vries et al. 2006, Table 2; compete 0.1
  expect_equal(round(davids_score(bonobos)$table$normds, 4), c(4.5696, 4.3842, 4.0561, 3.1229, 1.9634, 1.7358, 1.1679))
  expect_equal(round(steepness(bonobos, runs = 100, seed = 1)$value, 4), 0.6284)
  expect_equal(round(consistency(bonobos, runs = 100, seed = 1)$value, 7), 0.9473684)
})

test_that("results are data frames, numbers and sentences", {
  found <- steepness(bonobos, runs = 200, seed = 1)
  expect_s3_class(found, c("peckorder_steepness", "peckorder_measure"), exact = FALSE)
  expect_equal(as.data.frame(found), found$table)
  expect_equal(found$provenance$seed, 1)
  expect_output(print(found), "Steepness")
  expect_output(print(summary(found)), "Settings: .*runs = 200")
  posterior <- steepness_bayes(bonobos, seed = 1)
  expect_equal(round(posterior$value$low, 3), 0.849)
  expect_equal(posterior$value + 0, as.numeric(posterior$value))
  expect_output(print(posterior$value), "95%")
})

test_that("questions to ratings are called as in Python", {
  rated <- elo(adv, k = 200)
  expect_equal(nrow(rated$at("2010-01-10")), 7L)
  expect_equal(rated$at(as.Date("2010-01-10")), rated$at("2010-01-10"))
  expect_equal(rated$probability("b", "a"), rated$probability(b = "a", a = "b"))
  births <- data.frame(mother = c("b", "z"), born = as.Date(c("2010-01-20", "2010-01-21")))
  joined <- rated$at_dates(births, individual = "mother", date = "born")
  expect_equal(joined$born, births$born)
  expect_equal(joined$reason, c(NA, "unknown individual"))
  expect_true(is.na(joined$rank[[2]]))
  expect_equal(as.data.frame(rated, table = "history"), rated$history)
  expect_error(rated$nothing, "nothing")
  expect_true("probability" %in% utils::.DollarNames(rated, "^prob"))
})

test_that("predict takes new data", {
  p <- predict(elo(adv, k = 200), newdata = data.frame(a = c("b", "c"), b = c("a", "d")))
  expect_equal(nrow(as.data.frame(p)), 2L)
  expect_true(all(as.data.frame(p)$p_a > 0.5))
})

test_that("set.seed holds, and a reported seed repeats the result", {
  set.seed(7)
  first <- steepness(bonobos, runs = 200)
  set.seed(7)
  expect_equal(steepness(bonobos, runs = 200)$p, first$p)
  expect_equal(steepness(bonobos, runs = 200, seed = first$provenance$seed)$values, first$values)
  expect_lt(first$provenance$seed, 2^31)
  expect_error(steepness(bonobos, seed = 2^40), "0 to 2147483647")
})

test_that("groups are named lists", {
  troops <- rbind(transform(adv, troop = "x"), transform(adv, troop = "y"))
  parts <- split(read_contests(troops, group = "troop"))
  expect_named(parts, c("x", "y"))
  expect_equal(lapply(parts, function(one) elo(one)$table)$x, elo(adv)$table)
  models <- list(slow = elo(adv, k = 50), fast = elo(adv, k = 300))
  expect_setequal(compare_models(models, seed = 1, runs = 50)$table$model, c("slow", "fast"))
})

test_that("a pair is a range, a list are values", {
  expect_equal(likelihood_surface(adv, over = list(k = c(0, 400)), curve = "normal")$best$k, 256)
  expect_equal(tune(adv, over = list(k = list(50, 100)), seed = 1, runs = 20) |> suppressWarnings() |>
                 (\(x) nrow(x$table) > 0)(), TRUE)
  expect_false(identical(elo(adv, k = c(200, 50))$table, elo(adv, k = 200)$table))
})

test_that("figures are drawn in the device or written to a file", {
  file <- tempfile(fileext = ".pdf")
  expect_equal(plot(elo(adv), file = file), file)
  expect_gt(file.size(file), 1000)
  png <- tempfile(fileext = ".png")
  grDevices::png(png)
  expect_s3_class(plot(elo(adv)), "peckorder_ratings")
  plot_matrix(bonobos)
  grDevices::dev.off()
  expect_gt(file.size(png), 2000)
  expect_error(plot_trajectories(elo(adv), individuals = "nobody"), "nobody")
})

test_that("results survive in files, without Python where they are read", {
  rated <- elo(adv, k = 200)
  rds <- tempfile(fileext = ".rds")
  saveRDS(rated, rds)
  code <- sprintf('
    x <- readRDS("%s"); library(peckorder)
    stopifnot(nrow(as.data.frame(x)) == 7L, inherits(x$table$first_seen, "POSIXct"))
    stopifnot(grepl("another R session", tryCatch(x$at("2010-01-10"), error = conditionMessage)))
    y <- read_result("%s"); stopifnot(y$value$low < y$value, y$provenance$seed == 1)
    stopifnot(!reticulate::py_available())', rds, system.file("extdata", "steepness.json", package = "peckorder"))
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  status <- system2(file.path(R.home("bin"), "Rscript"), shQuote(script), env = paste0("R_LIBS=", libraries))
  expect_equal(status, 0L)
  json <- tempfile(fileext = ".json")
  steepness(bonobos, runs = 100, seed = 1)$save(json)
  again <- read_result(json)
  expect_equal(again$p, steepness(bonobos, runs = 100, seed = 1)$p)
  expect_error(read_result(rds), "no result|lexical|invalid|parse")
})

test_that("the report is one file", {
  file <- tempfile(fileext = ".html")
  write_report(adv, file, methods = c("elo", "davids_score"), runs = 100, seed = 1)
  expect_gt(file.size(file), 10000)
})
