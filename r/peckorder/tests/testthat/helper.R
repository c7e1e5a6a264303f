# The text of a result or an object, or the value, equals what Python gives.
same <- function(found, expected) {
  if (inherits(found, "peckorder_result")) found <- unclass(found)$title
  else if (inherits(found, "peckorder")) found <- unclass(found)$text
  else if (inherits(found, "peckorder_estimate")) found <- as.numeric(found)
  if (is.list(found) && !is.data.frame(found)) found <- unlist(found)
  if (is.list(expected)) expected <- unlist(expected)
  if (is.null(names(expected))) found <- unname(found)
  expect_equal(found, expected, tolerance = 1e-6)
}
