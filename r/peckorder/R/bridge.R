# How values go to Python and come back. One call for all functions, which are made by generate.py.

.held <- new.env(parent = emptyenv())

.bridge <- function() {
  if (is.null(.held$bridge)) {
    if (!is_installed())
      .fail("peckorder_not_installed", paste0(
        "The Python package peckorder was not found. Run install_peckorder() once, then restart R.",
        if (nzchar(.python_in_use())) paste0(" (R uses ", .python_in_use(), ".)")))
    .held$bridge <- reticulate::import_from_path(
      "peckorder_bridge", system.file("python", package = "peckorder"), convert = TRUE)
  }
  .held$bridge
}

.fail <- function(kinds, message, ...) {
  stop(structure(class = c(kinds, "peckorder_error", "error", "condition"),
                 list(message = message, call = NULL, ...)))
}

# -- to Python -----------------------------------------------------------------------------------

# Seeds are R's: set.seed() holds, and what is reported is an integer of R.
.seed <- function(x) {
  if (is.null(x)) return(sample.int(.Machine$integer.max, 1L))
  whole <- is.numeric(x) && length(x) == 1L && !is.na(x) && x == round(x) && x >= 0
  if (!whole || x > .Machine$integer.max)
    .fail("peckorder_ArgumentError", paste0(
      "seed must be a whole number from 0 to ", .Machine$integer.max, "."))
  as.integer(x)
}

# A column as its name, kind, values and the positions of what is missing, counted from 0.
.column <- function(x, name) {
  if (is.list(x) && !inherits(x, "POSIXlt"))
    .fail("peckorder_DataError", paste0(
      "Column \"", name, "\" is a list. Give a vector with one value per row, for example by ",
      "unlist(), or leave the column out."))
  if (is.matrix(x))
    .fail("peckorder_DataError", paste0(
      "Column \"", name, "\" is a matrix with ", ncol(x), " columns. Give each as a column of its own."))
  missing <- which(is.na(x)) - 1L
  kind <- "character"
  if (inherits(x, "POSIXt")) {  # the clock as R shows it
    kind <- "POSIXct"
    x <- format(x, "%Y-%m-%d %H:%M:%OS6")
  } else if (inherits(x, "Date")) {
    kind <- "Date"
    x <- format(x, "%Y-%m-%d")
  } else if (inherits(x, "difftime")) {
    x <- as.numeric(x)
    kind <- "numeric"
  } else if (is.factor(x)) x <- as.character(x)  # levels that do not occur are no individuals
  else if (is.logical(x)) kind <- "logical"
  else if (is.numeric(x)) {
    kind <- "numeric"
    x <- as.double(x)
  } else x <- as.character(x)
  if (length(missing)) x[missing + 1L] <- switch(kind, numeric = 0, logical = FALSE, "")
  if (is.character(x)) x <- enc2utf8(x)
  list(name, kind, .several(x), as.list(missing))
}

# A vector of length 1 would arrive as a single value.
.several <- function(x) {
  x <- unname(x)
  if (length(x) == 1L) as.list(x) else if (length(x)) x else list()
}

.table <- function(x) {
  names <- names(x)
  if (anyDuplicated(names))
    .fail("peckorder_DataError", paste0(
      "Two columns are called \"", names[anyDuplicated(names)], "\". Rename one of them."))
  x <- as.data.frame(x, optional = TRUE, stringsAsFactors = FALSE)
  list(`__table__` = lapply(seq_along(x), function(i) .column(x[[i]], names[[i]])))
}

.matrix <- function(x, name) {
  rows <- rownames(x)
  columns <- colnames(x)
  if (length(dim(x)) != 2L)
    .fail("peckorder_DataError", paste0(name, " has ", length(dim(x)), " dimensions; give a matrix."))
  if (is.character(x)) return(.table(as.data.frame(x)))
  if (!is.null(rows) && !is.null(columns) && nrow(x) == ncol(x)) {
    if (!setequal(rows, columns)) {
      odd <- c(setdiff(rows, columns), setdiff(columns, rows))
      .fail("peckorder_DataError", paste0(
        "Rows and columns of the matrix have different names (", paste0("\"", odd, "\"", collapse = ", "),
        "). Give both the same, for example by colnames(x) <- rownames(x)."))
    }
    x <- x[columns, , drop = FALSE]  # in the order of the columns
  } else if (is.null(columns) && !is.null(rows)) columns <- rows
  else if (!is.null(rows) && !is.null(columns))
    .fail("peckorder_DataError", paste0(
      "The matrix has ", nrow(x), " rows and ", ncol(x), " columns. Give a square one, for example ",
      "table() of two factors with the same levels; or as.data.frame() for a list of contests."))
  x <- unclass(x)
  values <- lapply(seq_len(nrow(x)), function(i) as.list(unname(x[i, ])))
  # NA on the diagonal is usual; elsewhere Python says what to do.
  for (i in seq_along(values)) values[[i]][is.na(x[i, ])] <- list(NULL)
  list(`__matrix__` = list(names = as.list(as.character(columns)), rows = values))
}

.pass <- function(x, name) {
  if (is.null(x)) return(NULL)
  if (inherits(x, "peckorder")) return(.alive(x))
  if (inherits(x, "formula")) {
    x <- all.vars(x)
    return(if (length(x) == 1L) x else as.list(x))
  }
  if (is.data.frame(x)) return(.table(x))
  if (is.matrix(x) || is.table(x)) return(.matrix(x, name))
  if (inherits(x, c("Date", "POSIXt"))) {
    x <- ifelse(is.na(x), NA, .column(x, name)[[3]])
    x <- unlist(x)
  }
  if (is.function(x)) return(x)
  if (is.factor(x)) x <- stats::setNames(as.character(x), names(x))
  if (is.atomic(x) && anyNA(x) && is.null(names(x)) && length(x) == 1L)
    .fail("peckorder_ArgumentError", paste0(name, " is NA. Give a value, or leave it out."))
  if (is.character(x)) x[] <- enc2utf8(x)
  if (!is.null(names(x))) {
    if (anyDuplicated(names(x)))
      .fail("peckorder_ArgumentError", paste0(
        name, ": the name \"", names(x)[anyDuplicated(names(x))], "\" appears twice."))
    return(list(`__named__` = list(as.list(enc2utf8(names(x))), unname(lapply(as.list(x), .pass, name)))))
  }
  if (is.list(x)) return(lapply(x, .pass, name))
  if (length(x) > 1L && anyNA(x)) .fail("peckorder_ArgumentError", paste0(
    name, " has NA at position ", which(is.na(x))[[1]], "."))
  if (length(x) == 0L) return(list())
  # c(100, 50) is a pair or a range; list(100, 50) and longer vectors are values.
  if (is.atomic(x) && length(x) %in% 2:3) return(do.call(reticulate::tuple, as.list(x)))
  if (!is.atomic(x)) .fail("peckorder_ArgumentTypeError", paste0(
    name, " is of class ", class(x)[[1]], ", which peckorder does not take."))
  x
}

.alive <- function(x) {
  object <- attr(x, "python")
  if (is.null(object) || reticulate::py_is_null_xptr(object))
    .fail("peckorder_not_alive", paste0(
      "This object comes from another R session or from a file. Its tables are here; to compute ",
      "with it, make it again."))
  object
}

# The arguments that were supplied; all others keep the defaults, which are the same in Python.
.given <- function(call, frame) {
  known <- setdiff(ls(frame, all.names = TRUE), "...")
  named <- intersect(names(call)[-1L], known)
  for (name in setdiff(known, named)) tryCatch(get(name, envir = frame), error = function(e)
    .fail("peckorder_ArgumentError", paste0(name, " is missing: help(", deparse(call[[1L]]), ") says what to give.")))
  given <- mget(named, envir = frame)
  if (exists("...", envir = frame, inherits = FALSE)) given <- c(given, eval(quote(list(...)), frame))
  given
}

# A grouped tibble: its groups are those of the contests.
.grouped <- function(given) {
  groups <- setdiff(names(attr(given[[1L]], "groups")), ".rows")
  if (length(groups) > 1L)
    .fail("peckorder_DataError", paste0(
      "The table is grouped by ", paste(groups, collapse = " and "), ". Use dplyr::ungroup(), and ",
      "name one column, such as group = \"", groups[[1L]], "\"."))
  if (length(groups) && is.null(given$group)) {
    message("The table is grouped: read with group = \"", groups, "\".")
    given$group <- groups
  }
  given
}

.verb <- function(path, call, frame) {
  given <- .given(call, frame)
  known <- ls(frame, all.names = TRUE)
  if (path == "report") given$path <- path.expand(given$path)
  if (length(given) && is.character(given[[1L]]) && length(given[[1L]]) == 1L && path != "curves.k_from_effect")
    given[[1L]] <- path.expand(given[[1L]])
  if (path == "read" && inherits(given[[1L]], "grouped_df")) given <- .grouped(given)
  if ("seed" %in% known) given["seed"] <- list(.seed(given$seed))
  # Data frames and matrices are read with what is detected.
  if (!is.null(given$data) && (is.data.frame(given$data) || is.matrix(given$data)))
    given$data <- read_contests(given$data)
  progress <- given$progress
  if ("progress" %in% known && is.null(progress)) progress <- interactive()
  given$progress <- NULL
  found <- .send(path, given, progress = isTRUE(progress))
  if (path == "report") invisible(given$path) else found
}

.send <- function(path, given, on = NULL, progress = FALSE, draw = NULL) {
  bridge <- .bridge()
  given <- given[!vapply(given, is.null, NA)]
  passed <- lapply(seq_along(given), function(i) {
    name <- names(given)[[i]]
    .pass(given[[i]], if (startsWith(name, "__")) "The argument" else name)
  })
  names(passed) <- names(given)
  if (!length(passed)) passed <- reticulate::dict()
  answer <- bridge$call(path, passed, on, if (progress) .bar())
  for (one in answer$warnings)
    warning(structure(class = c(paste0("peckorder_", one[[2L]]), "peckorder_warning", "warning", "condition"),
                      list(message = one[[1L]], call = NULL)))
  if (!is.null(answer$error))
    .fail(paste0("peckorder_", answer$kinds), answer$error, problems = unlist(answer$problems),
          ratings = if (!is.null(answer$found)) .back(answer$found))
  .back(answer$found)
}

.bar <- function() {
  bar <- NULL
  function(done, total) {
    if (total < 1L) return(invisible())
    if (is.null(bar)) bar <<- utils::txtProgressBar(max = total, style = 3, file = stderr())
    utils::setTxtProgressBar(bar, done)
    if (done >= total) {
      close(bar)
      bar <<- NULL
    }
  }
}

# -- back to R -----------------------------------------------------------------------------------

.vector <- function(column) {
  x <- unlist(column[[3L]])
  kind <- column[[2L]]
  if (is.null(x)) x <- vector(if (kind %in% c("Date", "POSIXct")) "character" else kind, 0L)
  missing <- unlist(column[[4L]])
  if (length(missing)) x[missing + 1L] <- NA
  switch(kind, Date = as.Date(x), POSIXct = as.POSIXct(x, tz = "UTC", format = "%Y-%m-%d %H:%M:%OS"), x)
}

.frame <- function(columns) {
  names <- vapply(columns, function(one) one[[1L]], "")
  structure(lapply(columns, .vector), names = names, class = "data.frame",
            row.names = .set_row_names(if (length(columns)) length(.vector(columns[[1L]])) else 0L))
}

.back <- function(x) {
  switch(
    x$kind,
    none = NULL,
    plain = x$value,
    vector = .vector(x$column),
    array = {
      shape <- unlist(x$shape)
      values <- .vector(x$column)
      if (length(shape) > 1L) array(values, shape) else values
    },
    table = .frame(x$columns),
    estimate = .estimate(x$value, x$parts, x$level),
    named = stats::setNames(lapply(x$values, .back), unlist(x$names)),
    list = lapply(x$values, .back),
    figure = invisible(NULL),
    object = structure(list(text = x$text), python = x$object,
                       class = c(paste0("peckorder_", tolower(x$class)), "peckorder")),
    result = structure(
      list(method = x$method, title = x$title, table = .frame(x$table), values = .back(x$values),
           summary = as.character(unlist(x$summary)), settings = .back(x$settings),
           provenance = .back(x$provenance)),
      python = x$object,
      class = c(paste0("peckorder_", x$method), paste0("peckorder_", tolower(unlist(x$classes))),
                "peckorder_result", "peckorder")))
}

# A number with the limits of its interval, usable as a number.
.estimate <- function(value, parts, level) {
  parts <- parts[intersect(names(parts), c("sd", "low", "high"))]
  if (!length(parts)) return(value)
  structure(value, sd = parts$sd, low = parts$low, high = parts$high, level = level,
            class = "peckorder_estimate")
}
