"""Make the model that a mode names: one of ours, or one that another package registers.

For a run, `make_model(mode, base_url=..., concurrency=...)` and, where no `--model` is given, `default_model(mode)`.
Both read the environment and `.env`. A key that is missing is found here, before anything else is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points

from codegen_eval.errors import InputError, ModelError
from codegen_eval.models import Model
from codegen_eval.models.concurrency import AdaptiveLimit
from codegen_eval.models.endpoint import Endpoint
from codegen_eval.models.environment import how_to_install, read_environment
from codegen_eval.models.fault import shown, without_secrets
from codegen_eval.models.patience import PatientModel, Policy

GROUP = "codegen_eval.models"
"""The entry-point group. An entry names a callable without arguments that returns a `Model`."""
BUILT_IN = ("claude", "bedrock", "openai")
"""The modes that we bring, beside `mock`."""
_SDKS = {"claude": "anthropic", "bedrock": "boto3", "openai": "openai"}
_ADDRESSES = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL")
CONCURRENCY = 8
"""Calls at once, at most, unless asked for otherwise."""
SMALL_CLAUDE = "claude-haiku-4-5"
"""Of the small ones it is the last that takes temperature 0."""


def make_model(
    mode: str,
    *,
    base_url: str | None = None,
    concurrency: int = CONCURRENCY,
    policy: Policy | None = None,
    environ: Mapping[str, str] | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> Model:
    """Make the model of a mode, with the policy that is the same for all of ours. Nothing is asked of it yet.

    It may be called by any number of threads; no more than `concurrency` calls are open at once. A provider of
    another package has a policy of its own.

    Raises:
        InputError: the mode is unknown, its SDK is not installed, or an option does not fit it.
        ModelAccessError: a key is missing.
        ModelError: a registered provider can't be imported.
    """
    if mode not in BUILT_IN:
        if base_url is not None and mode in discover_providers():
            raise InputError(f"mode `{mode}` takes no address", hint="leave `--base-url` out")
        return load_provider(mode)
    settings = read_environment(environ=environ)
    rules = policy or Policy()
    try:
        _check_addresses(base_url, settings)
        endpoint = _endpoint(mode, settings, base_url, concurrency, rules)
    except ImportError as exc:
        raise InputError(
            f"mode `{mode}` needs a package that is not installed: {_SDKS[mode]}",
            hint=how_to_install(mode),
        ) from exc
    return PatientModel(endpoint, policy=rules, limit=AdaptiveLimit(concurrency), sleep=sleep)


def default_model(mode: str, *, environ: Mapping[str, str] | None = None) -> str:
    """Return the model that is meant where none is named.

    Raises:
        InputError: there is none.
    """
    if mode == "claude":
        return SMALL_CLAUDE
    if mode not in BUILT_IN:
        _registered(mode)
    small = read_environment(environ=environ).get("BEDROCK_SMALL_MODEL") if mode == "bedrock" else None
    if small:
        return small
    hint = "name it with `--model`" + (", or in `BEDROCK_SMALL_MODEL`" if mode == "bedrock" else "")
    raise InputError(f"mode `{mode}` needs a model", hint=hint)


def discover_providers() -> dict[str, EntryPoint]:
    """Return the registered providers by name, without importing them."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def load_provider(name: str) -> Model:
    """Import a registered provider and make its model.

    Raises:
        InputError: nobody registered this name.
        ModelError: the provider can't be imported.
    """
    found = _registered(name)
    try:
        factory: Callable[[], Model] = found.load()
    except (ImportError, AttributeError) as exc:
        raise ModelError(
            f"model provider `{name}` can't be imported from `{found.value}`: {exc}",
            hint="install the package that it needs",
        ) from exc
    return factory()


def _registered(name: str) -> EntryPoint:
    found = discover_providers()
    if name not in found:
        known = ", ".join(f"`{known}`" for known in ("mock", *BUILT_IN, *found))
        raise InputError(f"no model provider is named `{shown(name)}`", hint=f"known: {known}")
    return found[name]


def _endpoint(
    mode: str, settings: Mapping[str, str], base_url: str | None, concurrency: int, policy: Policy
) -> Endpoint:
    match mode:
        case "claude":
            from codegen_eval.models.claude import ClaudeEndpoint

            return ClaudeEndpoint(environ=settings, base_url=base_url)
        case "bedrock":
            from codegen_eval.models.bedrock import BedrockEndpoint

            return BedrockEndpoint(
                environ=settings, base_url=base_url, concurrency=concurrency, silence=policy.call.total_seconds()
            )
        case _:
            from codegen_eval.models.openai_compatible import OpenAIEndpoint

            return OpenAIEndpoint(environ=settings, base_url=base_url)


def _check_addresses(base_url: str | None, settings: Mapping[str, str]) -> None:
    """Refuse addresses that are none, or to whose end no path can be added."""
    named = {"--base-url": base_url} if base_url is not None else {name: settings.get(name) for name in _ADDRESSES}
    for name, url in named.items():
        if not url:
            continue
        told = shown(without_secrets(url))
        if not url.startswith(("http://", "https://")):
            raise InputError(f"`{told}` is no address of a server", hint=f"`{name}` begins with http:// or https://")
        if "?" in url or "#" in url:
            raise InputError(
                f"the address `{told}` goes on with a query or a fragment, behind which no path can be added",
                hint=f"name the server alone in `{name}`; keys belong into the environment",
            )
