# What R users have: factors, tibbles, matrices, dates, NA, formulas; and what they get wrong.

skip_if_not(is_installed(), "the Python package")

d <- data.frame(
  date = as.Date("2024-01-01") + 0:5,
  winner = factor(c("A", "B", "A", "A", "B", "C"), levels = c("A", "B", "C", "gone")),
  loser = c("B", "C", "C", "B", "A", "A")
)

test_that("factors are names, and unused levels no individuals", {
  expect_equal(read_contests(d)$individuals, c("A", "B", "C"))
  expect_equal(read_contests(d, individuals = levels(d$winner))$individuals, c("A", "B", "C", "gone"))
})

test_that("vectors, formulas and data frames give the same contests", {
  expected <- elo(d, k = 100)$table
  expect_equal(elo(contests(d$winner, d$loser, d$date), k = 100)$table, expected)
  expect_equal(elo(contests(winner ~ loser + date, data = d), k = 100)$table, expected)
  names(d) <- c("day", "w", "l")
  expect_equal(elo(read_contests(d, winner = ~ w, loser = "l", date = "day"), k = 100)$table, expected)
})

test_that("dates come back as Date, times of day as POSIXct with the clock of R", {
  expect_s3_class(elo(d)$table$last_seen, "Date")
  expect_equal(elo(d)$table$first_seen[[1]], as.Date("2024-01-01"))
  d$date <- as.POSIXct("2024-05-01 22:30:00", tz = "America/New_York") + 3600 * 0:5
  seen <- elo(d)$history$date
  expect_s3_class(seen, "POSIXct")
  expect_equal(format(seen[[1]], "%Y-%m-%d %H:%M", tz = "UTC"), "2024-05-01 22:30")
})

test_that("names of any alphabet survive", {
  d$loser[1] <- "Zo\u00eb"
  latin <- "Zo\xeb"
  Encoding(latin) <- "latin1"
  d$loser[2] <- latin
  expect_equal(elo(d, start = c("Zo\u00eb" = 1200, A = 1000, B = 1000, C = 1000), k = 0)[["Zo\u00eb"]], 1200)
})

test_that("NA is missing, and refused or dropped as one asks", {
  d$winner[3] <- NA
  problem <- tryCatch(read_contests(d), peckorder_DataError = identity)
  expect_match(conditionMessage(problem), "Row 3: no name in column \"winner\"", fixed = TRUE)
  expect_match(conditionMessage(problem), "missing = \"drop\"", fixed = TRUE)
  expect_length(problem$problems, 1L)
  expect_length(read_contests(d, missing = "drop"), 5L)
})

test_that("a matrix or table of wins has the winners in rows, in any order", {
  wins <- table(d$winner, factor(d$loser, levels(d$winner)))[1:3, 1:3]
  expected <- davids_score(wins)$table
  expect_equal(davids_score(unclass(wins)[3:1, ])$table, expected)
  expect_equal(as.matrix(example_contests("bonobos")), bonobos)
  expect_equal(read_contests(unname(bonobos), individuals = rownames(bonobos))$individuals, rownames(bonobos))
  expect_error(davids_score(wins[1:2, ]), "2 rows and 3 columns")
  colnames(wins)[1] <- "Z"
  expect_error(davids_score(wins), "different names")
  bad <- bonobos
  diag(bad) <- NA
  expect_equal(davids_score(bad)$table, davids_score(bonobos)$table)
  bad[1, 2] <- NA
  expect_error(davids_score(bad), "row \"He\", column \"Dz\"")
})

test_that("tibbles are tables, and their groups those of the contests", {
  skip_if_not_installed("dplyr")
  d$troop <- rep(c("n", "s"), 3)
  expect_equal(read_contests(dplyr::as_tibble(d))$individuals, c("A", "B", "C"))
  expect_message(read <- read_contests(dplyr::group_by(d, troop)), "group = \"troop\"")
  expect_named(split(read), c("n", "s"))
  expect_error(read_contests(dplyr::group_by(d, troop, date)), "ungroup")
})

test_that("columns that are lists or matrices are refused by name", {
  expect_error(read_contests(transform(d, extra = I(as.list(1:6)))), "Column \"extra\" is a list")
  d$m <- matrix(1:12, 6)
  expect_error(read_contests(d), "Column \"m\" is a matrix")
  names(d)[3] <- "winner"
  expect_error(read_contests(d), "Two columns are called \"winner\"")
})

test_that("one row and no row", {
  expect_length(read_contests(d[1, ]), 1L)
  expect_error(read_contests(d[0, ]), "no contests")
})

test_that("messages write arguments as R does", {
  expect_error(steepness(d, runs = 10.5), "runs = 10.5", fixed = TRUE)
  expect_error(davids_score(d, index = "foo"), "index = \"foo\" is not known", fixed = TRUE)
  expect_error(elo(d, k = NA), "k is NA")
  expect_error(elo(), "data is missing")
  expect_error(elo("nowhere.csv"), "File not found: nowhere.csv.", fixed = TRUE)
  expect_error(elo(42), "Use elo(read_contests(", fixed = TRUE)
  expect_error(contests(d$winner, d$loser[-1]), "winner 6, loser 5")
  expect_s3_class(tryCatch(elo(42), error = identity), c("peckorder_ArgumentTypeError", "peckorder_error"), exact = FALSE)
})

test_that("warnings are conditions of R", {
  apart <- data.frame(winner = c("A", "C"), loser = c("B", "D"))
  said <- tryCatch(davids_score(apart), peckorder_warning = identity)
  expect_s3_class(said, "peckorder_DataWarning")
  expect_match(conditionMessage(said), "data$filter(individuals = c(", fixed = TRUE)
})
