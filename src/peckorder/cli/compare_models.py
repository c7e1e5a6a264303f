"""`peckorder compare-models`."""

from __future__ import annotations

import shlex
from typing import Any

import click

from peckorder.cli.content import content
from peckorder.cli.elo import parse_rating
from peckorder.cli.evaluate import CALIBRATE
from peckorder.cli.options import LEVEL, SEED
from peckorder.cli.rating import (
    BOOTSTRAP,
    BOOTSTRAP_SEED,
    FIT_TIES,
    PREDICTOR,
    SKIP,
    parse_own,
    rate,
)
from peckorder.cli.running import fail_if_not_converged, find
from peckorder.cli.shared import (
    chosen_format,
    column_options,
    deliver,
    output_options,
    params_of,
    read_contests,
    refuse_same_file,
    with_options,
)


@click.command("compare-models")
@click.argument("file")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="FLAGS",
    help='Options of one rating method, such as "--k 32 --scale 1000" or "--method glicko"; '
    "repeat for each model.",
)
@click.option(
    "--by",
    type=click.Choice(["foresight", "loo", "prequential"]),
    help="Predictions to compare: by the ratings before each contest (foresight, default); for "
    "posteriors also leave-one-out (loo, their default if k is alike) or one step ahead "
    "(prequential, their default if k differs).",
)
@click.option(
    "--measure",
    type=click.Choice(["log_loss", "brier", "rps", "correct"]),
    default="log_loss",
    show_default=True,
    help="Measure of the accuracy of foresight.",
)
@click.option(
    "--odds",
    metavar="COLUMNS",
    help="Also compare a bookmaker, by columns of decimal odds: home=B365H,draw=B365D,away=B365A "
    "(or winner=…,loser=…).",
)
@click.option(
    "--chances",
    metavar="COLUMNS",
    help="Also compare an outside forecast, by columns of probabilities.",
)
@click.option(
    "--margin",
    type=click.Choice(["proportional", "shin"]),
    help="How the margin is removed from odds: proportional (default) or by Shin's method.",
)
@click.option(
    "--calibrate",
    is_flag=True,
    default=None,
    help="Recalibrate all models: multiply log-odds by a slope learned from earlier contests. As "
    "part of --model: that model only.",
)
@with_options(SKIP, LEVEL)
@with_options(BOOTSTRAP, BOOTSTRAP_SEED)
@output_options
@column_options
def compare_models(file: str, **flags: Any) -> None:
    """Compare the predictive accuracy of rating methods."""
    form, output, texts = (flags.pop(name) for name in ("form", "output", "models"))
    form = chosen_format(form, output)
    refuse_same_file([file, flags["presence"], output])
    probe = click.Command(
        "--model", params=params_of((*PREDICTOR, SEED, FIT_TIES, CALIBRATE)), add_help_option=False
    )
    models, calibrated = {}, []
    for text in texts:
        try:
            own = probe.make_context("--model", shlex.split(text)).params
            parse_rating(own)
        except (click.UsageError, ValueError) as error:
            reason = error.format_message() if isinstance(error, click.UsageError) else str(error)
            raise click.UsageError(f'--model "{text}": {reason}') from None
        models[text.strip() or "default"] = own
        if own.pop("calibrate"):
            calibrated.append(text.strip())
    margin = flags.pop("margin")
    outside = {
        name: _columns(f"--{name}", text)
        for name in ("odds", "chances")
        if (text := flags.pop(name)) is not None
    }
    if len(models) + len(outside) < 2:
        raise click.UsageError(
            "Give --model at least twice, with different options, or once with --odds or --chances."
        )
    if margin is not None and "odds" not in outside:
        raise click.UsageError("--margin applies to --odds.")
    parse_own(flags)
    data = read_contests(file, flags)

    def call(data: Any, progress: Any = None, **options: Any) -> Any:
        import peckorder

        rated = {name: rate(data, dict(own), progress) for name, own in models.items()}
        for name, columns in outside.items():
            own = {"margin": margin} if name == "odds" and margin else {}
            rated[name] = peckorder.sport.outside_forecast(data, **{name: columns}, **own)
        given = {name: value for name, value in options.items() if value is not None}
        given.setdefault("calibrate", calibrated)
        return peckorder.compare_models(rated, **given)

    call.__name__ = "compare_models"
    found = find(call, data, flags, slow=True, printed=form == "table")
    deliver(content(found, form), output)
    fail_if_not_converged()


def _columns(flag: str, text: str) -> dict[str, str]:
    """Read `side=column,side=column` from an option."""
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(side.strip() and column.strip() for side, _, column in pairs):
        raise click.UsageError(f'{flag}: "{text}" is not of the form home=COLUMN,away=COLUMN.')
    return {side.strip(): column.strip() for side, _, column in pairs}
