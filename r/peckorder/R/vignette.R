# Vignettes show the call of another package on the left and ours on the right. Code of the other
# package stands in the chunk option `theirs`, with what it prints behind #>.

.vignette <- function() {
  knitr::opts_chunk$set(eval = is_installed(), collapse = TRUE, comment = "#>", fig.width = 5, fig.height = 3.2,
                        dpi = 96)
  knitr::knit_hooks$set(theirs = function(before, options, envir) {
    if (before) paste0("\n\n:::: {.pair}\n::: {.theirs}\n```r\n", options$theirs, "\n```\n:::\n::: {.ours}\n")
    else "\n\n:::\n::::\n\n"
  })
  options(width = 62, digits = 5)
}
