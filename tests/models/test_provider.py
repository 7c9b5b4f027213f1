"""Laws of providers from other packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codegen_eval.errors import InputError, ModelError
from codegen_eval.models import Reply
from codegen_eval.models.provider import GROUP, discover_providers, load_provider, make_model

_MODULE = """
class Parrot:
    provider = "parrot"

    def complete(self, request):
        raise NotImplementedError
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package that registers a provider that works and one that can't be imported."""
    (tmp_path / "parrot_model.py").write_text(_MODULE, "utf-8")
    info = tmp_path / "parrot-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        f"[{GROUP}]\nparrot = parrot_model:Parrot\nbroken = parrot_model:No\n", "utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "parrot_model", raising=False)


@pytest.mark.usefixtures("installed")
def test_an_installed_provider_is_found_by_its_name() -> None:
    """A package that is installed beside us brings a provider; listing it does not import it."""
    assert {"broken", "parrot"} <= set(discover_providers())
    assert "parrot_model" not in sys.modules
    assert load_provider("parrot").provider == "parrot"


@pytest.mark.usefixtures("installed")
def test_a_provider_that_cannot_be_imported_is_named() -> None:
    with pytest.raises(ModelError, match=r"`broken`.*`parrot_model:No`"):
        load_provider("broken")


@pytest.mark.usefixtures("installed")
def test_an_unknown_provider_is_the_users_error() -> None:
    """The error says which names there are."""
    with pytest.raises(InputError, match="`crow`") as caught:
        load_provider("crow")
    assert all(f"`{name}`" in str(caught.value.hint) for name in ("mock", "claude", "bedrock", "openai", "parrot"))


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/v1?token=abcdef", "http://u:abcdef@127.0.0.1:1/v1#x", "127.0.0.1:1/v1"]
)
@pytest.mark.parametrize("by_option", [True, False])
def test_an_address_that_nothing_can_be_added_to_is_refused(url: str, *, by_option: bool) -> None:
    """A query would end up in the middle of the address, and in messages: what it holds is not shown."""
    environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "" if by_option else url}

    with pytest.raises(InputError) as caught:
        make_model("openai", base_url=url if by_option else None, environ=environ)
    assert "abcdef" not in f"{caught.value.message} {caught.value.hint}"
    assert ("--base-url" if by_option else "OPENAI_BASE_URL") in str(caught.value.hint)


def test_a_reply_can_always_be_written() -> None:
    """Lone surrogates, which no file can hold, don't survive in a reply."""
    reply = Reply(text="a\ud800b", input_tokens=0, output_tokens=0, estimated=True)

    assert reply.text == "a?b"
    assert Reply.model_validate_json(reply.model_dump_json()) == reply
