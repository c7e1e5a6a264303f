"""Headings: languages, accents, case, and headings that do not say who won."""

import pytest

import peckorder as po
from peckorder.data.headings import ALIASES, are_a_pair, heading, roles_of, says


@pytest.mark.parametrize(
    "header",
    [
        "Gewinner;Verlierer;Datum;Uhrzeit;Unentschieden;Gruppe",
        "SIEGER;VERLIERER;DATUM;ZEIT;REMIS;GRUPPE",
        "Gagnant;Perdant;Date;Heure;Égalité;Groupe",
        "vainqueur;vaincu;jour;heure;egalite;groupe",
        "Ganador;Perdedor;Fecha;Hora;Empate;Grupo",
        "Vencedor;Perdedor;Data;Hora;Empate;Grupo",
        "vincitore;perdente;data;ora;pareggio;gruppo",
        "Winner_ID;loser-id;Date.Time;Time of Day;tied;group id",
    ],
)
def test_languages(sheet, header):
    data = po.read(sheet(f"{header}\nAbby;Bo;2020-01-01;10:30;0;north\n"))
    assert list(data.report.columns) == ["winner", "loser", "date", "time", "group", "tie"]
    assert list(data.report.columns.values()) == [header.split(";")[i] for i in (0, 1, 2, 3, 5, 4)]
    assert str(data.date[0]) == "2020-01-01T10:30:00.000000"


def test_data_is_a_date_only_beside_words_of_its_language():
    assert roles_of("data", ["Vencedor", "Perdedor", "data"]) == ["date"]
    assert roles_of("data", ["winner", "loser", "data"]) == []


def test_headings_are_compared_without_case_accents_and_signs():
    assert heading("Home-Score:") == heading("HomeScore") == heading("home_score")
    assert heading("ÉGALITÉ") == "egalite"


def test_every_pair_of_sides_has_two_roles():
    for first in ALIASES["a"]:
        partners = [second for second in ALIASES["b"] if are_a_pair(first, second)]
        assert partners, first
        assert not are_a_pair(partners[0], first)


def test_no_heading_says_both_who_won_and_who_lost():
    for label in {alias for aliases in ALIASES.values() for alias in aliases}:
        said = [what for what in ("won", "lost", "acted", "began", "received") if says(label, what)]
        assert len(said) <= 1, label
