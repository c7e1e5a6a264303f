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
