# Which Python: found when the package is loaded, made by install_peckorder().

ENVIRONMENT <- "r-peckorder"

.onLoad <- function(libname, pkgname) {
  chosen <- nzchar(Sys.getenv("RETICULATE_PYTHON")) || nzchar(Sys.getenv("RETICULATE_PYTHON_ENV"))
  if (chosen || reticulate::py_available(initialize = FALSE)) return(invisible())
  if (ENVIRONMENT %in% tryCatch(reticulate::virtualenv_list(), error = function(e) character()))
    reticulate::use_virtualenv(ENVIRONMENT, required = FALSE)
  else .declare()
  invisible()
}

# Newer versions of reticulate make an environment by themselves with what packages declare.
.declare <- function(exports = getNamespaceExports("reticulate"), call = getExportedValue) {
  if ("py_require" %in% exports)
    call("reticulate", "py_require")(packages = "peckorder[app]", python_version = ">=3.11")
}

is_installed <- function() {
  isTRUE(tryCatch(reticulate::py_module_available("peckorder.errors"), error = function(e) FALSE))
}

.python_in_use <- function() {
  tryCatch(reticulate::py_config()$python, error = function(e) "")
}

install_peckorder <- function(package = "peckorder[app]", envname = "r-peckorder", python = NULL) {
  .apart(.install(package, envname, python))
}

# R's search path for libraries would give Python another libpython of the same version.
.apart <- function(code) {
  before <- Sys.getenv("LD_LIBRARY_PATH", NA)
  Sys.unsetenv("LD_LIBRARY_PATH")
  if (!is.na(before)) on.exit(Sys.setenv(LD_LIBRARY_PATH = before))
  force(code)
}

.install <- function(package, envname, python) {
  package <- .to_install(package)
  place <- path.expand(file.path(reticulate::virtualenv_root(), envname))
  inside <- file.path(place, if (.Platform$OS.type == "windows") "Scripts/python.exe" else "bin/python")
  uv <- unname(Sys.which("uv"))
  if (is.null(python)) python <- .find_python()
  if (is.null(python) && nzchar(uv)) python <- if (.only_11()) "3.11" else ">=3.11"  # uv fetches one
  if (is.null(python))
    .fail("peckorder_no_python", paste0(
      "Python 3.11", if (!.only_11()) " or newer", ", with venv, was not found. Install it from ",
      "https://www.python.org, by reticulate::install_python(\"3.11:latest\"), or (Debian, Ubuntu) by ",
      "apt install python3-venv; or install uv from https://docs.astral.sh/uv, which fetches Python. ",
      if (.only_11()) "A newer reticulate, by install.packages(\"reticulate\"), takes newer Pythons. ",
      "Then call install_peckorder() again."))
  message("Making the environment ", place, " ...")
  dir.create(dirname(place), recursive = TRUE, showWarnings = FALSE)
  if (nzchar(uv)) {
    .run(uv, c("venv", "--quiet", "--clear", "--python", shQuote(python), shQuote(place)))
    .run(uv, c("pip", "install", "--python", shQuote(inside), shQuote(package)))
  } else {
    .run(python, c("-m", "venv", "--clear", shQuote(place)))
    .run(inside, c("-m", "pip", "install", "--quiet", "--disable-pip-version-check", shQuote(package)))
  }
  if (!reticulate::py_available(initialize = FALSE)) {
    reticulate::use_virtualenv(place, required = TRUE)
    message("Ready: elo(adv) tries it.")
  } else if (!identical(normalizePath(.python_in_use()), normalizePath(inside)))
    message("Ready. Restart R: this session already uses ", .python_in_use(), ".")
  invisible(inside)
}

install <- install_peckorder

# A name on a package index, or the path of a copy or an archive, with its extras.
.to_install <- function(package) {
  if (!file.exists(package)) return(package)
  package <- normalizePath(package)
  if (dir.exists(package) && !file.exists(file.path(package, "pyproject.toml")))
    .fail("peckorder_ArgumentError", paste0(package, " has no pyproject.toml: it is no copy of peckorder."))
  if (grepl("\\.whl$|\\.tar\\.gz$", package) || dir.exists(package)) paste0(package, "[app]") else package
}

# Older versions of reticulate import a module that Python 3.12 no longer has.
.only_11 <- function() utils::packageVersion("reticulate") < "1.35"

.find_python <- function() {
  below <- if (.only_11()) 12 else 99
  asked <- sprintf("import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, %d))", below)
  names <- c(paste0("python3.", 14:11), "python3", "python")
  for (one in Filter(nzchar, Sys.which(names))) {
    code <- suppressWarnings(system2(one, c("-c", shQuote(asked)), stdout = FALSE, stderr = FALSE))
    if (identical(code, 0L)) return(one)
  }
  NULL
}

.run <- function(program, arguments) {
  said <- suppressWarnings(system2(program, arguments, stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status")))
    .fail("peckorder_install_failed", paste(c(
      paste("This failed:", paste(c(program, arguments), collapse = " ")), utils::tail(said, 15L)), collapse = "\n"))
}
