# What R users expect of an object: print, summary, plot, as.data.frame, predict, `$`.

# `x$name`: an element, a value by name, a table, or a method, called as in x$at("2010-01-10").
`$.peckorder` <- function(x, name) {
  inner <- unclass(x)
  if (name %in% names(inner)) return(inner[[name]])
  if (name %in% names(inner$values)) return(inner$values[[name]])
  object <- .alive(x)
  if (!.bridge()$is_method(object, name)) return(.send(name, list(), on = object))
  structure(class = c("peckorder_method", "function"), called = name, function(...) {
    given <- list(...)
    unnamed <- if (is.null(names(given))) rep(TRUE, length(given)) else !nzchar(names(given))
    if (length(given)) names(given)[unnamed] <- sprintf("__%d", seq_len(sum(unnamed)))
    if ("seed" %in% names(given)) given["seed"] <- list(.seed(given$seed))
    .send(name, given, on = object)
  })
}

print.peckorder_method <- function(x, ...) {
  cat("This is called with parentheses: $", attr(x, "called"), "(...). See ?`peckorder-objects`.\n", sep = "")
  invisible(x)
}

# x[["name"]]: an element; of ratings and orders, the value of an individual.
`[[.peckorder` <- function(x, i, ...) {
  inner <- unclass(x)
  if (!is.character(i) || i %in% names(inner)) return(inner[[i]])
  .send("__getitem__", list(`__1` = i), on = .alive(x))
}

.DollarNames.peckorder <- function(x, pattern = "") {
  inner <- unclass(x)
  more <- tryCatch(unlist(.bridge()$names_of(.alive(x))), error = function(e) NULL)
  sort(unique(grep(pattern, c(names(inner), names(inner$values), more), value = TRUE)))
}

print.peckorder <- function(x, ...) {
  cat(unclass(x)$text, sep = "\n")
  invisible(x)
}

print.peckorder_result <- function(x, digits = 4L, n = 20L, ...) {
  inner <- unclass(x)
  cat(inner$title, "\n", sep = "")
  if (nrow(inner$table) && (nrow(inner$table) > 1L || !length(inner$summary))) .print_table(inner$table, digits, n)
  if (length(inner$summary)) cat(strwrap(inner$summary, exdent = 2L), sep = "\n")
  invisible(x)
}

# The first rows, with the columns that fit; times last, because they are wide.
.print_table <- function(table, digits, n) {
  wide <- vapply(table, inherits, NA, c("Date", "POSIXct"))
  shown <- utils::head(table[c(which(!wide), which(wide))], n)
  shown[] <- lapply(shown, function(one) if (is.numeric(one)) format(one, digits = digits) else format(one))
  widths <- vapply(seq_along(shown), function(i) max(nchar(c(names(shown)[[i]], shown[[i]]), "width")), 0) + 1
  fits <- max(1L, sum(cumsum(widths) <= getOption("width")))
  print(shown[seq_len(fits)], row.names = FALSE)
  hidden <- names(shown)[-seq_len(fits)]
  if (length(hidden)) cat(strwrap(paste("Further columns:", paste(hidden, collapse = ", "))), sep = "\n")
  if (nrow(table) > n) cat("Further rows:", nrow(table) - n, "\n")
}

summary.peckorder_result <- function(object, ...) {
  inner <- unclass(object)
  structure(inner[c("title", "summary", "values", "settings", "provenance")], class = "summary.peckorder_result")
}

print.summary.peckorder_result <- function(x, digits = 4L, ...) {
  cat(x$title, "\n\n", sep = "")
  cat(strwrap(x$summary, exdent = 2L), sep = "\n")
  single <- Filter(function(value) is.atomic(value) && length(value) == 1L, x$values)
  if (length(single)) {
    cat("\nValues\n")
    cat(sprintf("  %s: %s", names(single), vapply(single, format, "", digits = digits)), sep = "\n")
  }
  set <- Filter(function(value) is.atomic(value) && length(value) > 0L, x$settings)
  if (length(set)) cat("\nSettings: ", paste(names(set), vapply(set, paste, "", collapse = ", "), sep = " = ",
                                              collapse = "; "), "\n", sep = "")
  if (length(x$provenance$seed)) cat("Seed: ", x$provenance$seed, "\n", sep = "")
  cited <- as.character(unlist(x$provenance$citation))
  if (length(cited)) cat("References", strwrap(cited, indent = 2L, exdent = 4L), sep = "\n")
  invisible(x)
}

as.data.frame.peckorder_result <- function(x, row.names = NULL, optional = FALSE, table = NULL, ...) {
  if (is.null(table)) unclass(x)$table else .send(table, list(), on = .alive(x))
}

as.data.frame.peckorder <- function(x, row.names = NULL, optional = FALSE, ...) {
  .send("to_table", list(), on = .alive(x))
}

as.character.peckorder_order <- function(x, ...) unclass(x)$table$individual

as.matrix.peckorder_contests <- function(x, ...) {
  wins <- .send("matrix", list(), on = .alive(x))
  table <- as.matrix(as.data.frame(wins)[-1L])
  rownames(table) <- colnames(table)
  table
}

as.character.peckorder_estimate <- function(x, ...) format(x, ...)

format.peckorder_estimate <- function(x, digits = 3L, ...) {
  part <- function(name) formatC(attr(x, name), digits = digits, format = "fg", flag = "#")
  text <- formatC(as.numeric(x), digits = digits, format = "fg", flag = "#")
  if (!is.null(attr(x, "low")))
    text <- paste0(text, " (", 100 * attr(x, "level"), "% ", part("low"), " to ", part("high"), ")")
  text
}

print.peckorder_estimate <- function(x, ...) {
  cat(format(x, ...), "\n", sep = "")
  invisible(x)
}

`$.peckorder_estimate` <- function(x, name) if (name == "value") as.numeric(x) else attr(x, name, exact = TRUE)

Ops.peckorder_estimate <- function(e1, e2) {
  plain <- function(x) if (inherits(x, "peckorder_estimate")) as.numeric(x) else x
  if (missing(e2)) get(.Generic)(plain(e1)) else get(.Generic)(plain(e1), plain(e2))
}

Math.peckorder_estimate <- function(x, ...) get(.Generic)(as.numeric(x), ...)

as.double.peckorder_estimate <- function(x, ...) as.vector(unclass(x), "double")

predict.peckorder_ratings <- function(object, newdata, ...) predict_contests(object, fixtures = newdata, ...)

split.peckorder_contests <- function(x, f = "group", drop = FALSE, ...) .send("split", list(by = f), on = .alive(x))

length.peckorder_contests <- function(x) as.integer(.send("number", list(), on = .alive(x)))

plot.peckorder_result <- function(x, kind = NULL, ..., file = NULL) .figure(x, kind, list(...), file)

plot.peckorder_contests <- function(x, kind = "matrix", ..., file = NULL) .figure(x, kind, list(...), file)

.plotted <- function(kind, call, frame) {
  given <- .given(call, frame)
  .figure(given[[1L]], kind, given[setdiff(names(given)[-1L], "file")], given$file)
}

.figure <- function(x, kind, given, file) {
  if (!inherits(x, "peckorder")) x <- read_contests(x)
  given <- given[!vapply(given, is.null, NA)]
  target <- if (is.null(file)) tempfile(fileext = ".png") else path.expand(file)
  if (is.null(file)) on.exit(unlink(target))
  width <- given$width
  if (is.null(width) && is.null(file)) width <- min(25.4 * grDevices::dev.size("in")[[1L]], 300)
  given$width <- NULL
  size <- .send("__draw__", c(given, list(`__figure` = kind, `__path` = target, `__width` = width)),
                on = .alive(x))
  if (is.null(file)) {
    image <- png::readPNG(target)
    graphics::plot.new()
    place <- graphics::par(mar = c(0, 0, 0, 0))
    on.exit(graphics::par(place), add = TRUE)
    graphics::plot.window(c(0, 1), c(0, 1))
    room <- grDevices::dev.size("in")
    fill <- min(1, (room[[2L]] / room[[1L]]) / (size[[2L]] / size[[1L]]))
    wide <- fill
    high <- fill * (size[[2L]] / size[[1L]]) / (room[[2L]] / room[[1L]])
    graphics::rasterImage(image, 0.5 - wide / 2, 0.5 - high / 2, 0.5 + wide / 2, 0.5 + high / 2)
  }
  invisible(if (is.null(file)) x else file)
}
