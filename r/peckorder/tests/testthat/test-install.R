# Before there is Python: messages that say what to do.

test_that("what is no copy of peckorder is refused before anything is made", {
  folder <- tempfile()
  dir.create(folder)
  expect_error(install_peckorder(folder), "no pyproject.toml")
})

test_that("without Python and uv, the message says where to get them", {
  path <- Sys.getenv("PATH")
  on.exit(Sys.setenv(PATH = path))
  Sys.setenv(PATH = tempfile())
  said <- tryCatch(install_peckorder(), peckorder_no_python = conditionMessage)
  expect_match(said, "python.org", fixed = TRUE)
  expect_match(said, "uv", fixed = TRUE)
})

test_that("what is needed is declared where reticulate takes declarations", {
  asked <- NULL
  found <- function(package, name) {
    asked <<- c(package, name)
    function(packages, python_version) asked <<- c(asked, packages, python_version)
  }
  peckorder:::.declare("py_config", found)
  expect_null(asked)
  peckorder:::.declare(c("py_config", "py_require"), found)
  expect_equal(asked, c("reticulate", "py_require", "peckorder[app]", ">=3.11"))
})

test_that("the app opens with a data frame", {
  skip_if_not(is_installed(), "the Python package")
  skip_if_not(reticulate::py_module_available("uvicorn"), "the app")
  expect_message(address <- peckorder_app(adv, open = FALSE), "http://127.0.0.1", fixed = TRUE)
  page <- readLines(url(address), warn = FALSE)
  expect_true(any(grepl("<title>peckorder", page, fixed = TRUE)))
})
