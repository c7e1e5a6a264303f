library(testthat)
library(peckorder)

test_check("peckorder")
