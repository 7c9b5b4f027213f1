"""Runs in a store, over HTTP: whole or not at all, and never another one."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from codegen_eval.cli.main import run_argv
from codegen_eval.ledger import Ledger
from codegen_eval.results import dump
from factories import make_results, make_scored, make_solution
from faulty_store import FaultyStore, Request

PLACE = "s3://evals/nightly/haiku"


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take this machine's own credentials and settings away."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="module")
def running() -> Iterator[FaultyStore]:
    """Give a store without buckets."""
    with FaultyStore() as running:
        yield running


@pytest.fixture
def store(running: FaultyStore, monkeypatch: pytest.MonkeyPatch) -> FaultyStore:
    """Give a store with an empty bucket `evals`, which the environment names."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", running.url)
    running.fault = lambda _: None
    running.ask("POST", "moto-api/reset")
    running.ask("PUT", "evals")
    running.seen.clear()
    return running


def write_run(folder: Path, *, task: str = "fizzbuzz") -> Path:
    """Write a finished run of one solution, and its ledger."""
    folder.mkdir(exist_ok=True)
    place = folder / "mine.json"
    place.write_bytes(dump(make_results(solutions=(make_scored(solution=make_solution(task=task)),))))
    with Ledger.open(folder / "mine.ledger", parameters={"task": task}) as ledger:
        ledger.finish()
    return place


@pytest.mark.slow
def test_what_is_pushed_is_pulled(tmp_path: Path, store: FaultyStore, capsys: pytest.CaptureFixture[str]) -> None:
    """A run comes back byte for byte, its ledger as one that resumes; every file was sent with its SHA-256."""
    mine = write_run(tmp_path / "here")

    assert run_argv(["push", str(mine), PLACE, "--ledger"]) == 0
    assert run_argv(["pull", PLACE, str(tmp_path / "there.json")]) == 0

    assert (tmp_path / "there.json").read_bytes() == mine.read_bytes()
    with Ledger.resume(tmp_path / "there.ledger") as ledger:
        assert ledger.parameters == {"task": "fizzbuzz"}
    digest = hashlib.sha256(mine.read_bytes())
    sent = {request.key: request.checksum for request in store.seen if request.method == "PUT"}
    assert sent[f"nightly/haiku/{digest.hexdigest()}/results.json"] == base64.b64encode(digest.digest()).decode()
    assert all(sent.values())
    assert list(sent)[-1] == "nightly/haiku/manifest.json"
    assert digest.hexdigest() in capsys.readouterr().err


@pytest.mark.slow
def test_what_comes_later_is_added_to_the_same_run(tmp_path: Path, store: FaultyStore) -> None:
    """Judgements of people are part of a run; pushing less takes nothing away, and pushing more adds it."""
    mine = write_run(tmp_path / "here")
    assert run_argv(["push", str(mine), PLACE, "--ledger"]) == 0
    assert run_argv(["adjudicate", str(mine), "--export-csv", str(tmp_path / "a.csv")]) == 0
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row | {"verdict": "false"})
    said = tmp_path / "here" / "mine.adjudication.json"
    assert run_argv(["adjudicate", str(mine), "--csv", str(tmp_path / "a.csv")]) == 0

    assert run_argv(["push", str(mine), PLACE]) == 0
    assert run_argv(["pull", PLACE, str(tmp_path / "there.json")]) == 0

    assert (tmp_path / "there.adjudication.json").read_bytes() == said.read_bytes()
    with Ledger.resume(tmp_path / "there.ledger") as ledger:
        assert ledger.parameters == {"task": "fizzbuzz"}
    assert store.keys("DELETE") == []


@pytest.mark.slow
def test_another_run_is_never_replaced_unasked(
    tmp_path: Path, store: FaultyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same run may be pushed again; another one is refused, there and here, until asked to replace."""
    first, second = write_run(tmp_path / "a"), write_run(tmp_path / "b", task="flatten")
    there = tmp_path / "there.json"
    assert run_argv(["push", str(first), PLACE]) == 0
    assert run_argv(["push", str(first), PLACE]) == 0

    assert run_argv(["push", str(second), PLACE]) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert run_argv(["pull", PLACE, str(there)]) == 0
    assert there.read_bytes() == first.read_bytes()
    assert run_argv(["push", str(second), PLACE, "--overwrite"]) == 0
    assert run_argv(["pull", PLACE, str(there)]) == 2
    assert there.read_bytes() == first.read_bytes()
    assert run_argv(["pull", PLACE, str(there), "--overwrite"]) == 0
    assert there.read_bytes() == second.read_bytes()
    assert store.keys("DELETE") == []


@pytest.mark.slow
def test_of_two_pushes_at_a_time_one_wins(tmp_path: Path, store: FaultyStore) -> None:
    """A run that appears between looking and writing is not replaced: the store itself refuses."""
    first, second = write_run(tmp_path / "a"), write_run(tmp_path / "b", task="flatten")

    def intrude(request: Request) -> None:
        if request.method == "PUT" and request.key.endswith("/results.json"):
            store.fault = lambda _: None
            assert run_argv(["push", str(first), PLACE]) == 0

    store.fault = intrude
    assert run_argv(["push", str(second), PLACE]) == 2
    assert run_argv(["pull", PLACE, str(tmp_path / "there.json")]) == 0
    assert (tmp_path / "there.json").read_bytes() == first.read_bytes()
    assert any(request.conditional for request in store.seen)


@pytest.mark.slow
def test_half_an_upload_is_no_run(tmp_path: Path, store: FaultyStore, capsys: pytest.CaptureFixture[str]) -> None:
    """An upload that broke off before its manifest can't be pulled; pushing again completes it."""
    mine = write_run(tmp_path / "here")
    store.fault = lambda r: (500, "InternalError") if r.method == "PUT" and r.key.endswith("manifest.json") else None
    assert run_argv(["push", str(mine), PLACE]) == 3
    store.fault = lambda _: None

    assert run_argv(["pull", PLACE, str(tmp_path / "there.json")]) == 2
    assert "there is no run at" in capsys.readouterr().err
    assert not (tmp_path / "there.json").exists()
    assert run_argv(["push", str(mine), PLACE]) == 0
    assert run_argv(["pull", PLACE, str(tmp_path / "there.json")]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["results.json", "results.ledger", "manifest.json"])
def test_a_damaged_run_is_refused_whole(
    tmp_path: Path, store: FaultyStore, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    """One flipped bit in any of its objects, and nothing of the run is written here."""
    assert run_argv(["push", str(write_run(tmp_path / "here")), PLACE, "--ledger"]) == 0
    store.fault = lambda r: "flipped" if r.method == "GET" and r.key.endswith(ending) else None
    (tmp_path / "there").mkdir()

    assert run_argv(["pull", PLACE, str(tmp_path / "there" / "r.json")]) == 3
    assert "damaged" in capsys.readouterr().err
    assert list((tmp_path / "there").iterdir()) == []


@pytest.mark.slow
def test_a_push_that_the_store_did_not_keep_fails(tmp_path: Path, store: FaultyStore) -> None:
    """What is read back and is not what was sent gets no manifest."""
    store.fault = lambda r: "flipped" if r.method == "GET" and r.key.endswith("results.json") else None

    assert run_argv(["push", str(write_run(tmp_path / "here")), PLACE]) == 3
    assert not any(key.endswith("manifest.json") for key in store.keys("PUT"))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["half", "dropped"])
def test_a_connection_that_drops_is_tried_again(tmp_path: Path, store: FaultyStore, how: str) -> None:
    """A download that broke off once is begun again and complete; one that always breaks off ends with a message."""
    assert run_argv(["push", str(write_run(tmp_path / "here")), PLACE]) == 0
    broken: list[str] = []

    def once(request: Request) -> str | None:
        if request.key.endswith("results.json") and not broken:
            broken.append(request.key)
            return how
        return None

    store.fault = once
    assert run_argv(["pull", PLACE, str(tmp_path / "there.json")]) == 0
    assert broken
    store.fault = lambda r: how if r.key.endswith("results.json") else None
    assert run_argv(["pull", PLACE, str(tmp_path / "again.json")]) == 3
    assert not (tmp_path / "again.json").exists()


@pytest.mark.slow
def test_a_lost_answer_costs_nothing(tmp_path: Path, store: FaultyStore) -> None:
    """A manifest that was written, and whose answer was lost, is ours and not another run's."""
    lost: list[str] = []

    def lose(request: Request) -> str | None:
        if request.method == "PUT" and request.key.endswith("manifest.json") and not lost:
            lost.append(request.key)
            return "lost"
        return None

    store.fault = lose
    assert run_argv(["push", str(write_run(tmp_path / "here")), PLACE]) == 0
    assert lost


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "code", "says"),
    [
        ((404, "NoSuchBucket"), 2, "there is no bucket `evals`"),
        ((403, "AccessDenied"), 3, "AccessDenied"),
        ((403, "SignatureDoesNotMatch"), 3, "refuses"),
        ((400, "ExpiredToken"), 3, "must not have expired"),
        ((418, "\x1b[31mTeapot"), 3, "the store answers"),
        ((200, "NotXml"), 3, "damaged"),
    ],
)
def test_a_store_that_refuses_is_explained(
    tmp_path: Path,
    store: FaultyStore,
    capsys: pytest.CaptureFixture[str],
    fault: tuple[int, str],
    code: int,
    says: str,
) -> None:
    """What the store says becomes one message of ours, without control characters."""
    store.fault = lambda _: fault

    assert run_argv(["pull", PLACE, str(tmp_path / "r.json")]) == code
    said = capsys.readouterr().err
    assert says in said
    assert "\x1b" not in said


@pytest.mark.slow
def test_a_store_without_conditional_writes_needs_overwrite(
    tmp_path: Path, store: FaultyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the store can't refuse to replace, nothing is stored until replacing was asked for."""
    mine = str(write_run(tmp_path / "here"))
    store.fault = lambda r: (501, "NotImplemented") if r.conditional else None

    assert run_argv(["push", mine, PLACE]) == 3
    assert "--overwrite" in capsys.readouterr().err
    assert run_argv(["push", mine, PLACE, "--overwrite"]) == 0


@pytest.mark.slow
def test_a_missing_bucket_is_the_users_fault(
    tmp_path: Path, store: FaultyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """The store's own answer for a bucket that isn't there names it."""
    assert store.url

    assert run_argv(["push", str(write_run(tmp_path / "here")), "s3://other-evals/x"]) == 2
    assert "there is no bucket `other-evals`" in capsys.readouterr().err


@pytest.mark.slow
def test_without_credentials_it_says_what_to_set(
    tmp_path: Path, store: FaultyStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No credentials: exit 3, the variables to set, and nothing sent."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

    assert run_argv(["pull", PLACE, str(tmp_path / "r.json")]) == 3
    assert "AWS_ACCESS_KEY_ID" in capsys.readouterr().err
    assert store.seen == []


@pytest.mark.slow
def test_a_store_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody listens: exit 3 and the address."""
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{port}")

    assert run_argv(["pull", PLACE, str(tmp_path / "r.json")]) == 3
    assert str(port) in capsys.readouterr().err


@pytest.mark.parametrize("endpoint", ["not a url", "ftp:/", "http://"])
def test_settings_that_mean_nothing_are_input_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], endpoint: str
) -> None:
    """An endpoint that is no address is named with the variables to look at."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", endpoint)

    assert run_argv(["pull", PLACE, str(tmp_path / "r.json")]) == 2
    assert "AWS_ENDPOINT_URL_S3" in capsys.readouterr().err


@pytest.mark.parametrize(
    "place",
    [
        *("s3://", "s3://evals", "s3://evals/", "s3://Evals/x", "https://evals/x", "x"),
        *("s3://evals/a//b", "s3://evals/../x", "s3://evals/a b", "s3://evals/\x1b[31m", "s3://evals/" + "x" * 900),
    ],
)
def test_only_a_place_in_a_bucket_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str) -> None:
    """Anything but s3://BUCKET/PREFIX is refused with the form to write."""
    assert run_argv(["pull", place, str(tmp_path / "r.json")]) == 2
    said = capsys.readouterr().err
    assert "s3://BUCKET/PREFIX" in said
    assert "\x1b" not in said


@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [
        [],
        [{"name": "results.ledger", "sha256": "0" * 64, "size": 1}],
        [{"name": "../../etc/passwd", "sha256": "0" * 64, "size": 1}],
        [{"name": "results.json", "sha256": "../" * 20 + "abcd", "size": 1}],
        [{"name": "results.json", "sha256": "0" * 64, "size": 1 << 60}],
        [{"name": "results.json", "sha256": "0" * 64, "size": 1}] * 2,
    ],
)
def test_a_hostile_manifest_is_refused(tmp_path: Path, store: FaultyStore, files: list[dict[str, object]]) -> None:
    """A manifest names one results file, known names and hashes, or nothing is fetched or written."""
    store.ask("PUT", "evals/nightly/haiku/manifest.json", json.dumps({"format": 1, "files": files}).encode())

    assert run_argv(["pull", PLACE, str(tmp_path / "r.json")]) == 3
    assert store.keys("GET") == ["nightly/haiku/manifest.json"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_only_a_run_is_stored(tmp_path: Path, store: FaultyStore) -> None:
    """What is no results file, and a ledger that a run uses, are refused before anything is sent."""
    mine = write_run(tmp_path / "here")
    (tmp_path / "no.json").write_text("{}")

    assert run_argv(["push", str(tmp_path / "no.json"), PLACE]) == 2
    with Ledger.resume(tmp_path / "here" / "mine.ledger"):
        assert run_argv(["push", str(mine), PLACE, "--ledger"]) == 3
    assert store.seen == []
