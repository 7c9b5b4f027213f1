"""Laws of what providers read from the environment and from `.env`."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen_eval.errors import InputError, ModelAccessError
from codegen_eval.models.environment import MAX_BYTES, NAMES, read_environment
from codegen_eval.models.provider import SMALL_CLAUDE, default_model, make_model
from codegen_eval.resources import resource_root


def test_the_file_adds_what_the_environment_lacks(tmp_path: Path) -> None:
    """What the real environment has wins; an empty value there is none."""
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY='one two'\nOPENAI_API_KEY=file\nAWS_REGION=eu-west-1\n", "utf-8")

    known = read_environment(tmp_path, environ={"OPENAI_API_KEY": "real", "AWS_REGION": "", "HOME": "/"})

    assert known["ANTHROPIC_API_KEY"] == "one two"
    assert (known["OPENAI_API_KEY"], known["AWS_REGION"], known["HOME"]) == ("real", "eu-west-1", "/")


def test_only_known_names_are_taken_from_the_file(tmp_path: Path) -> None:
    """Neither a proxy nor a path comes from a file that lies in a checkout, and nothing is put in from elsewhere."""
    (tmp_path / ".env").write_text(
        "HTTPS_PROXY=http://evil\nLD_PRELOAD=x\nPATH=/evil\nexport OPENAI_API_KEY=${HOME}\n# ANTHROPIC_API_KEY=no\n",
        "utf-8",
    )

    assert read_environment(tmp_path, environ={"HOME": "/root"}) == {"HOME": "/root", "OPENAI_API_KEY": "${HOME}"}


@pytest.mark.parametrize("content", [b"\xff\xfe", b"A=" + b"x" * MAX_BYTES])
def test_a_file_that_is_none_is_the_users_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".env").write_bytes(content)

    with pytest.raises(InputError, match=r"\.env"):
        read_environment(tmp_path, environ={})


def test_without_a_file_the_environment_is_all(tmp_path: Path) -> None:
    assert read_environment(tmp_path, environ={"A": "b"}) == {"A": "b"}


def test_the_example_names_what_is_read() -> None:
    """The shipped example has each name that is read, and no other."""
    lines = (resource_root() / ".env.example").read_text("utf-8").splitlines()

    named = {line.removeprefix("# ").partition("=")[0] for line in lines if line.removeprefix("# ")[:3].isupper()}
    assert named == set(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["claude", "openai", "bedrock"])
def test_a_missing_key_is_found_before_anything_is_asked(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the variable."""
    home = {"AWS_REGION": "eu-central-1", "AWS_EC2_METADATA_DISABLED": "true"}
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere/config")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials")
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", "/nowhere")

    with pytest.raises(ModelAccessError) as caught:
        make_model(mode, environ=home)
    assert "KEY" in str(caught.value.hint)


def test_bedrock_needs_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere/config")
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.delenv("AWS_REGION", raising=False)

    with pytest.raises(InputError, match="region"):
        make_model("bedrock", environ={"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"})


def test_a_local_server_needs_no_key() -> None:
    assert make_model("openai", base_url="http://localhost:1/v1", environ={}).provider == "openai"


def test_an_address_is_one_of_the_web() -> None:
    with pytest.raises(InputError, match="localhost"):
        make_model("openai", base_url="localhost:11434", environ={})


def test_the_model_that_is_meant() -> None:
    """Claude has a default, Bedrock one from the environment, and other modes need a name."""
    assert default_model("claude", environ={}) == SMALL_CLAUDE
    assert default_model("bedrock", environ={"BEDROCK_SMALL_MODEL": "small"}) == "small"
    for mode in ("bedrock", "openai", "parrot"):
        with pytest.raises(InputError, match=mode):
            default_model(mode, environ={})


def test_what_is_no_file_of_text_is_told_as_that(tmp_path: Path) -> None:
    """A folder in its place, and bytes that are no UTF-8, each in words of their own."""
    (tmp_path / "a" / ".env").mkdir(parents=True)
    with pytest.raises(InputError, match="it is not a file"):
        read_environment(tmp_path / "a", environ={})
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / ".env").write_bytes(b"OPENAI_API_KEY=\xff")
    with pytest.raises(InputError, match=r"is not UTF-8 text \(byte 15\)"):
        read_environment(tmp_path / "b", environ={})


def test_an_unknown_mode_is_told_before_a_missing_model() -> None:
    """Who mistypes a mode is not asked for a model of it."""
    with pytest.raises(InputError, match="no model provider is named `cluade`"):
        default_model("cluade", environ={})
