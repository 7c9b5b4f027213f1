"""The Docker engine as the sandbox uses it: the only module that calls docker-py.

Every call has a deadline, and every foreign exception is translated here. A `requests` session is not safe to share,
so each thread has a client of its own.
"""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

import docker
import requests
import urllib3
from docker.context import ContextAPI
from docker.errors import APIError, DockerException, ImageNotFound
from docker.types import HostConfig
from docker.utils import kwargs_from_env

from codegen_eval.errors import SandboxLostError, SandboxUnavailableError
from codegen_eval.sandbox.hardening import Arguments, with_paths

_HINT = "start Docker, or set DOCKER_HOST; `evalrun doctor` says what is wrong"
_GONE = (404,)
_CONFLICT = (409,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """What the engine says of itself."""

    version: str
    api: str
    architecture: str
    cgroup: str
    """1 or 2."""
    cgroup_driver: str
    default_runtime: str
    runtimes: tuple[str, ...]
    runc: str
    memory_limit: bool
    swap_limit: bool
    pids_limit: bool
    cpu_limit: bool
    seccomp: bool
    rootless: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A container in a listing."""

    id: str
    labels: Mapping[str, str]
    removing: bool = False
    """The engine is removing it. Old engines go on listing some that are long gone, until they are restarted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedImage:
    """An image in a listing."""

    tags: tuple[str, ...]
    labels: Mapping[str, str]
    created: int
    """Seconds since the epoch, by the engine's clock."""


class _Client(docker.APIClient):
    """docker-py's client with a deadline also where it forgets one (attaching)."""

    _last_stream: requests.Response | None = None

    def request(self, method: str | bytes, url: str | bytes, **kwargs: object) -> requests.Response:  # type: ignore[override]  # the rest is passed on as it is
        if kwargs.get("timeout") is None:
            kwargs["timeout"] = self.timeout
        # the engine's own authority; left to requests, REQUESTS_CA_BUNDLE would win over it
        kwargs.setdefault("verify", self.verify)
        response = super().request(method, url, **kwargs)  # type: ignore[arg-type]  # as above
        if kwargs.get("stream"):
            self._last_stream = response
        return response

    def close(self) -> None:
        """Close the stream that was opened last, and all connections."""
        if self._last_stream is not None:
            self._last_stream.close()
        super().close()


class Engine:
    """The engine that `DOCKER_HOST` or the current Docker context names.

    Raises:
        SandboxUnavailableError: from every method, where the engine can't be reached or doesn't answer in time.
    """

    def __init__(self, *, seconds: float = 20.0) -> None:
        self._seconds = seconds
        self._local = threading.local()
        self._lock = threading.Lock()
        self._clients: list[_Client] = []
        self._version: str | None = None

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            clients, self._clients = self._clients, []
        self._local = threading.local()
        for client in clients:
            client.close()

    def info(self) -> Info:
        """Ask the engine about itself."""
        with _translated("ask the engine about itself"):
            return _read_info(self._client().info(), self._client().version())

    # --- images -----------------------------------------------------------------------------------------------------

    def image_id(self, name: str) -> str | None:
        """Return the id of a local image, None where there is none of that name."""
        inspect: Callable[..., Mapping[str, object]] = self._client().inspect_image
        with _translated(f"look up the image `{name}`"):
            try:
                return str(inspect(name)["Id"])
            except ImageNotFound:
                return None

    def pull(self, name: str, *, seconds: float) -> None:
        """Fetch an image from its registry.

        Raises:
            SandboxUnavailableError: it can't be had.
        """
        repository, _, tag = name.rpartition(":")
        if not repository or "/" in tag or "@" in name:
            repository, tag = name, "" if "@" in name else "latest"
        client = self._make(seconds)
        try:
            with _translated(f"pull the image `{name}`"):
                _follow(client.pull(repository, tag=tag or None, stream=True, decode=True), seconds, f"pull `{name}`")
        finally:
            client.close()

    def build(
        self, context: bytes, *, tag: str, labels: Mapping[str, str], arguments: Mapping[str, str], seconds: float
    ) -> None:
        """Build an image from a tar archive, label it and tag it.

        Raises:
            SandboxUnavailableError: it does not build.
        """
        client = self._make(seconds)
        try:
            with _translated(f"build the image `{tag}`"):
                stream = client.build(
                    fileobj=BytesIO(context),
                    custom_context=True,
                    tag=tag,
                    buildargs=dict(arguments),
                    labels=dict(labels),
                    network_mode="none",
                    rm=True,
                    forcerm=True,
                    decode=True,
                    timeout=int(seconds),
                )
                _follow(stream, seconds, f"build `{tag}`")
        finally:
            client.close()

    def images(self, repository: str, *, label: str) -> tuple[ListedImage, ...]:
        """List the tagged images of a repository that have a label."""
        with _translated(f"list the images of `{repository}`"):
            found = self._client().images(repository, filters={"label": label})
        return tuple(
            ListedImage(
                tags=tuple(each.get("RepoTags") or ()),
                labels=dict(each.get("Labels") or {}),
                created=int(each.get("Created") or 0),
            )
            for each in found
        )

    def remove_image(self, name: str) -> bool:
        """Remove a tag, and its image where that was the last one; say whether it is gone. False: it is in use."""
        with _translated(f"remove the image `{name}`"):
            try:
                self._client().remove_image(name, force=False)
            except APIError as exc:
                if exc.status_code in _CONFLICT:
                    return False
                if exc.status_code not in _GONE:
                    raise
        return True

    # --- containers -------------------------------------------------------------------------------------------------

    def create(self, image: str, *, name: str, container: Arguments, host: Arguments) -> str:
        """Create a container; return its id.

        Raises:
            SandboxLostError: the engine refused.
        """
        client = self._client()
        # the table has the types that docker-py takes, but a dict of keyword arguments can't show it
        host_config: Callable[..., Mapping[str, object]] = HostConfig
        config: Callable[..., Mapping[str, object]] = client.create_container_config
        create: Callable[..., Mapping[str, object]] = client.create_container_from_config
        with _translated("create a container", refused=SandboxLostError):
            wanted = {"command": None, **container}
            body = config(image, host_config=with_paths(host_config(client.api_version, **host)), **wanted)
            return str(create(body, name)["Id"])

    def attach(self, container: str) -> object:
        """Attach to standard input, output and error of a container; return what docker-py calls a socket."""
        with _translated("attach to a container", refused=SandboxLostError):
            wanted = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
            return self._client().attach_socket(container, params=wanted)

    def start(self, container: str) -> None:
        """Start a container.

        Raises:
            SandboxLostError: it doesn't start.
        """
        with _translated("start a container", refused=SandboxLostError):
            self._client().start(container)

    def remove(self, container: str) -> bool:
        """Kill and remove a container; say whether it is gone. False: the engine is at it, ask again."""
        with _translated("remove a container"):
            try:
                self._client().remove_container(container, force=True, v=True)
            except APIError as exc:
                if exc.status_code in _CONFLICT:
                    return False
                if exc.status_code not in _GONE:
                    raise
        return True

    def containers(self, label: str) -> tuple[Listed, ...]:
        """List the containers that have a label, given as `name` or `name=value`; running or not."""
        with _translated("list containers"):
            found = self._client().containers(all=True, filters={"label": label})
        return tuple(
            Listed(id=str(each["Id"]), labels=dict(each.get("Labels") or {}), removing=each.get("State") == "removing")
            for each in found
        )

    # --- clients ----------------------------------------------------------------------------------------------------

    def _client(self) -> _Client:
        """Return the client of the calling thread."""
        client = getattr(self._local, "client", None)
        if not isinstance(client, _Client):
            client = self._make(self._seconds)
            with self._lock:
                self._clients.append(client)
            self._local.client = client
        return client

    def _make(self, seconds: float) -> _Client:
        """Connect. The API version is negotiated once."""
        with _translated("reach the engine"):
            address = _address()
            _knock(str(address.get("base_url") or "unix:///var/run/docker.sock"), seconds)
            connect: Callable[..., _Client] = _Client
            client = connect(**address, version=self._version, timeout=max(1, int(seconds)))
            if client.base_url.startswith("http+docker://"):
                client.trust_env = False  # proxies are not for a local socket, and looking for them costs each call
        self._version = client.api_version
        return client


def _address() -> dict[str, object]:
    """Return docker-py's arguments for the engine that the environment or the current context names."""
    address: dict[str, object] = {**kwargs_from_env()}
    if "base_url" not in address:
        if ContextAPI.get_context(os.environ.get("DOCKER_CONTEXT")) is None:
            raise SandboxUnavailableError("the Docker context in use does not exist", hint="see `docker context ls`")
        address = {**ContextAPI.kwargs_from_context(), **address}
    if str(address.get("base_url", "")).startswith("ssh:"):
        raise SandboxUnavailableError(
            "an engine behind ssh:// can't be used",
            hint="forward its socket (ssh -L PATH:/var/run/docker.sock) and set DOCKER_HOST=unix://PATH",
        )
    return address


def engine_is_local() -> bool:
    """Say whether the engine is on this machine, as far as its address tells."""
    return "unix:" in str(_address().get("base_url") or "unix:")


def _knock(url: str, seconds: float) -> None:
    """Connect to a unix socket and hang up: docker-py leaks the descriptor where nobody answers."""
    if url.startswith(("unix:", "http+unix:")):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(seconds)
            sock.connect("/" + url.partition("://")[2].lstrip("/"))


def _follow(stream: Iterator[object], seconds: float, what: str) -> None:
    """Read the progress of a build or pull to its end; fail on its error or at the deadline."""
    deadline = time.monotonic() + seconds
    last = ""
    for event in stream:
        if not isinstance(event, Mapping):
            continue
        if "error" in event:
            raise SandboxUnavailableError(f"can't {what}: {str(event['error'])[:500].strip()}; {last}".strip("; "))
        last = str(event.get("stream", "")).strip()[:200] or last
        if time.monotonic() > deadline:
            raise SandboxUnavailableError(f"can't {what} within {seconds:.0f} s")


@contextmanager
def _translated(
    action: str, *, refused: type[SandboxLostError | SandboxUnavailableError] = SandboxUnavailableError
) -> Iterator[None]:
    """Turn what docker-py, requests, urllib3 and sockets raise into our own tree.

    `refused` is for an answer of the engine that says no; everything else means that there is no engine.
    """
    try:
        yield
    except APIError as exc:
        if exc.response is not None:
            exc.response.close()
        reason = str(exc.explanation or exc)[:500].strip()
        raise refused(f"the Docker engine can't {action}: {reason}", hint="run `evalrun doctor`") from exc
    except (requests.Timeout, TimeoutError, urllib3.exceptions.TimeoutError) as exc:
        raise SandboxUnavailableError(f"the Docker engine did not {action} in time", hint=_HINT) from exc
    except (
        DockerException,
        requests.RequestException,
        urllib3.exceptions.HTTPError,
        http.client.HTTPException,
        OSError,
        ValueError,
    ) as exc:
        raise SandboxUnavailableError(f"can't {action}: {_innermost(exc)}", hint=_HINT) from exc


def _innermost(exc: BaseException) -> str:
    """Return the text of the cause that says most, which requests wraps several times."""
    seen: BaseException = exc
    while (cause := seen.__cause__ or seen.__context__) is not None:
        seen = cause
    where = os.environ.get("DOCKER_HOST") or "the local socket"
    if isinstance(seen, http.client.RemoteDisconnected):
        return f"the Docker engine at {where} hung up"
    if isinstance(seen, OSError) and not isinstance(seen, ssl.SSLError) and seen.errno is not None:
        return f"no Docker engine at {where}: {os.strerror(seen.errno)}"
    return str(seen)[:300] or type(seen).__name__


def _read_info(info: Mapping[str, object], version: Mapping[str, object]) -> Info:
    """Read what `info` and `version` answer; what an engine leaves out is taken as not there."""
    runtimes = info.get("Runtimes")
    security = [str(each) for each in _items(info.get("SecurityOptions"))]
    commit = info.get("RuncCommit")
    runc = str(commit.get("ID", "")) if isinstance(commit, Mapping) else ""
    for component in _items(version.get("Components")):
        if isinstance(component, Mapping) and component.get("Name") == "runc":
            runc = str(component.get("Version", "")) or runc
    return Info(
        version=str(info.get("ServerVersion", "")),
        api=str(version.get("ApiVersion", "")),
        architecture=str(info.get("Architecture", "")),
        cgroup=str(info.get("CgroupVersion", "1")),
        cgroup_driver=str(info.get("CgroupDriver", "")),
        default_runtime=str(info.get("DefaultRuntime", "")),
        runtimes=tuple(sorted(map(str, runtimes))) if isinstance(runtimes, Mapping) else (),
        runc=runc,
        memory_limit=info.get("MemoryLimit") is True,
        swap_limit=info.get("SwapLimit") is True,
        pids_limit=info.get("PidsLimit") is True,
        cpu_limit=info.get("CpuCfsQuota") is True,
        seccomp=any("seccomp" in each for each in security),
        rootless=any("rootless" in each for each in security),
        warnings=tuple(str(each) for each in _items(info.get("Warnings"))),
    )


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []
