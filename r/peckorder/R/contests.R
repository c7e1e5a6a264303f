# Contests from vectors or by a formula, results from files, and the app: what only R needs.

contests <- function(winner, loser, date, ..., data = NULL) {
  if (inherits(winner, "formula")) {
    if (missing(data) && !missing(loser)) {
      data <- loser
      loser <- NULL
    }
    names <- .of_formula(winner)
    return(read_contests(data, ..., winner = names[["winner"]], loser = names[["loser"]],
                         date = if (length(names) > 2L) names[["date"]] else if (!missing(date)) date))
  }
  frame <- list(winner = winner, loser = loser)
  if (!missing(date)) frame$date <- date
  more <- list(...)
  vectors <- vapply(more, function(x) is.atomic(x) && length(x) == length(winner) && length(x) > 1L, NA)
  frame <- c(frame, more[vectors])
  lengths <- lengths(frame)
  if (length(unique(lengths)) > 1L)
    .fail("peckorder_DataError", paste0(
      "The vectors have different lengths: ", paste(names(frame), lengths, collapse = ", "), "."))
  do.call(read_contests, c(list(structure(frame, class = "data.frame",
                                          row.names = .set_row_names(length(winner)))), more[!vectors]))
}

# winner ~ loser, or winner ~ loser + date: the names of the columns.
.of_formula <- function(formula) {
  sides <- c(if (length(formula) == 3L) all.vars(formula[[2L]]), all.vars(formula[[length(formula)]]))
  if (length(formula) != 3L || !length(sides) %in% 2:3)
    .fail("peckorder_ArgumentError", "Write winner ~ loser, or winner ~ loser + date, with names of columns.")
  stats::setNames(as.list(sides), c("winner", "loser", "date")[seq_along(sides)])
}

example_contests <- function(name = c("adv", "bonobos", "table3")) {
  .send("datasets.load", list(name = match.arg(name)))
}

read_result <- function(file) {
  if (!file.exists(file)) .fail("peckorder_DataError", paste0("There is no file ", file, "."))
  whole <- jsonlite::fromJSON(file, simplifyVector = TRUE)
  lacking <- setdiff(c("method", "result", "provenance"), names(whole))
  if (length(lacking))
    .fail("peckorder_DataError", paste0(
      file, " is no result of peckorder: it has no ", paste(lacking, collapse = ", "),
      ". Write one with x$save(\"result.json\")."))
  result <- whole$result
  table <- as.data.frame(result$table)
  for (name in names(table)) table[[name]] <- .dates(table[[name]])
  values <- lapply(result[setdiff(names(result), c("table", "summary"))], function(x) {
    if (is.list(x) && all(c("low", "high") %in% names(x)) && any(c("mean", "value") %in% names(x)))
      .estimate(x[[intersect(c("value", "mean"), names(x))[[1L]]]], x, 0.95) else x
  })
  structure(
    list(method = whole$method, title = paste0("Result (", whole$method, ") of peckorder ", whole$provenance$version),
         table = table, values = values, summary = as.character(unlist(result$summary)),
         settings = whole$settings, provenance = whole$provenance),
    class = c(paste0("peckorder_", whole$method), "peckorder_result", "peckorder"))
}

.dates <- function(x) {
  if (!is.character(x)) return(x)
  known <- x[!is.na(x) & nzchar(x)]
  if (length(known) && all(grepl("^\\d{4}-\\d{2}-\\d{2}$", known))) return(as.Date(x))
  if (length(known) && all(grepl("^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}", known)))
    return(as.POSIXct(x, tz = "UTC", format = "%Y-%m-%dT%H:%M:%OS"))
  x
}

peckorder_app <- function(data = NULL, port = 0, open = interactive()) {
  file <- NULL
  if (is.character(data)) file <- normalizePath(data, mustWork = TRUE)
  else if (!is.null(data)) {
    file <- file.path(tempfile("peckorder"), "contests.csv")
    dir.create(dirname(file))
    if (inherits(data, "peckorder")) data <- as.data.frame(data)
    if (is.data.frame(data)) utils::write.csv(.flat(data), file, row.names = FALSE, na = "", fileEncoding = "UTF-8")
    else utils::write.csv(as.data.frame.matrix(data), file, fileEncoding = "UTF-8")
  }
  said <- tempfile(fileext = ".txt")
  pid <- .apart(.bridge()$start(as.list(c(
    "-m", "peckorder", "app", file, "--port", as.integer(port), if (!open) "--no-open")), said))
  reg.finalizer(.held, function(...) tools::pskill(pid), onexit = TRUE)
  for (moment in 1:300) {
    Sys.sleep(0.2)
    lines <- if (file.exists(said)) readLines(said, warn = FALSE) else character()
    address <- regmatches(lines, regexpr("https?://[^[:space:]]+", lines))
    if (length(address)) break
    if (any(grepl("^(Error|Usage)|Traceback", lines))) break
  }
  if (!length(address)) .fail("peckorder_AppError", paste(c("The app did not start.", lines), collapse = "\n"))
  message("peckorder app: ", address[[1L]], "\nStop it there, or end this session of R.")
  invisible(address[[1L]])
}

.flat <- function(data) {
  data <- as.data.frame(data, stringsAsFactors = FALSE)
  for (name in names(data)) if (is.list(data[[name]])) .column(data[[name]], name)
  data
}
