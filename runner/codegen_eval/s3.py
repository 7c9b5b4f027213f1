"""One place in an S3-compatible store: objects written whole, read bounded, and every fault in our words.

Credentials, region and endpoint are found as the AWS tools find them: environment, files of the user, the machine's
role; `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` names another store than Amazon's.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn, Protocol, Self

from codegen_eval.errors import InputError, StorageError
from codegen_eval.models.environment import how_to_install
from codegen_eval.render.printable import printable

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

_CONNECT_SECONDS = 10
_SILENT_SECONDS = 60
_OBJECT_SECONDS = 900
"""A store that sends its bytes one by one is given up, too."""
_ATTEMPTS = 4
_CHUNK = 1 << 20
_URL = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/(?P<prefix>.*)", re.DOTALL)
_PREFIX = re.compile(r"[A-Za-z0-9!_.'()=+@-]+(?:/[A-Za-z0-9!_.'()=+@-]+)*")
_MAX_PREFIX = 800

_MISSING = frozenset({"NoSuchKey", "404"})
_EXISTS = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "412"})
_REFUSED = frozenset(
    {
        "AccessDenied",  # no right to do this
        "AllAccessDisabled",  # the account
        "ExpiredToken",  # temporary credentials of yesterday
        "InvalidAccessKeyId",  # an unknown key
        "InvalidToken",  # a session's token that belongs to another key
        "RequestTimeTooSkewed",  # the clock
        "SignatureDoesNotMatch",  # a wrong secret
        "403",  # an answer without a body
    }
)


class MissingObjectError(StorageError):
    """There is no such object."""


class ExistingObjectError(InputError):
    """There is such an object already."""


class _Body(Protocol):
    def read(self, amount: int) -> bytes: ...
    def close(self) -> None: ...


class _Client(Protocol):
    """What we use of boto3's client, which has no types."""

    def put_object(self, **options: str | bytes) -> object: ...
    def get_object(self, **options: str) -> dict[str, _Body]: ...
    def close(self) -> None: ...


class S3Folder:
    """A prefix in a bucket. Keys are relative to it."""

    def __init__(self, client: _Client, bucket: str, prefix: str) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix
        self.url = f"s3://{bucket}/{prefix}"

    @classmethod
    def open(cls, url: str) -> Self:
        """Return the place that `s3://BUCKET/PREFIX` names; nothing is sent yet.

        Raises:
            InputError: not such an address, or settings of the AWS tools that mean nothing.
            StorageError: boto3 is not installed.
        """
        bucket, prefix = _split(url)
        return cls(_connect(), bucket, prefix)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._client.close()

    def put(self, key: str, data: bytes, *, overwrite: bool) -> None:
        """Write an object, with its SHA-256 for the store to check.

        Raises:
            ExistingObjectError: it is there already, and is not to be overwritten.
            InputError, StorageError: it can't be written.
        """
        options: dict[str, str | bytes] = {
            "Bucket": self._bucket,
            "Key": self._key(key),
            "Body": data,
            "ChecksumAlgorithm": "SHA256",
            "ChecksumSHA256": base64.b64encode(hashlib.sha256(data).digest()).decode(),
        }
        if not overwrite:
            options["IfNoneMatch"] = "*"
        with self._translated(key):
            self._client.put_object(**options)

    def get(self, key: str, *, most: int) -> bytes:
        """Return an object; a transfer that breaks off is begun again.

        Raises:
            MissingObjectError: there is none.
            InputError, StorageError: it can't be read, or is larger than `most` bytes.
        """
        deadline = time.monotonic() + _OBJECT_SECONDS
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._get(key, most=most, deadline=deadline)
            except StorageError as exc:
                if not exc.during_transfer:
                    raise
        return self._get(key, most=most, deadline=deadline)

    def _get(self, key: str, *, most: int, deadline: float) -> bytes:
        with self._translated(key):
            body = self._client.get_object(Bucket=self._bucket, Key=self._key(key))["Body"]
        chunks: list[bytes] = []
        size = 0
        try:
            with self._translated(key, during_transfer=True):
                while chunk := body.read(_CHUNK):
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > most:
                        raise StorageError(f"`{self.url}/{key}` is larger than {most} bytes")
                    if time.monotonic() > deadline:
                        raise StorageError(f"`{self.url}/{key}` did not arrive within {_OBJECT_SECONDS} s")
        finally:
            body.close()
        return b"".join(chunks)

    def _key(self, key: str) -> str:
        return f"{self._prefix}/{key}"

    @contextmanager
    def _translated(self, key: str, *, during_transfer: bool = False) -> Iterator[None]:
        """Turn what boto3 raises into our errors."""
        from botocore import exceptions as boto

        place = f"{self.url}/{key}"
        try:
            yield
        except boto.ClientError as exc:
            self._refuse(exc, place)
        except (
            boto.NoCredentialsError,
            boto.PartialCredentialsError,
            boto.CredentialRetrievalError,
            boto.NoAuthTokenError,
            boto.TokenRetrievalError,
            boto.SSOError,
        ) as exc:
            raise StorageError(
                f"no credentials for `{self.url}`: {printable(str(exc))}",
                hint="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
            ) from exc
        except boto.ParamValidationError as exc:
            raise InputError(f"`{place}` can't be an address: {printable(str(exc))}") from exc
        except boto.BotoCoreError as exc:
            raise StorageError(
                f"`{place}` can't be reached: {printable(str(exc))}",
                hint="is the store up, and AWS_ENDPOINT_URL_S3 or AWS_REGION right?",
                during_transfer=during_transfer,
            ) from exc

    def _refuse(self, exc: ClientError, place: str) -> NoReturn:
        """Raise what an answer of the store means."""
        error = exc.response.get("Error", {})
        code, said = printable(str(error.get("Code", ""))), printable(str(error.get("Message", "")))
        if code == "NoSuchBucket":
            raise InputError(f"there is no bucket `{self._bucket}`", hint="make it first, or correct the name") from exc
        if code in _MISSING:
            raise MissingObjectError(f"there is no `{place}`") from exc
        if code in _EXISTS:
            raise ExistingObjectError(f"`{place}` is there already") from exc
        if code in _REFUSED:
            raise StorageError(
                f"the store refuses `{place}`: {code}: {said}",
                hint="these credentials need s3:GetObject and s3:PutObject there, and must not have expired",
            ) from exc
        if code == "NotImplemented":
            raise StorageError(
                f"the store can't do what was asked for `{place}`: {said}",
                hint="a store without conditional writes needs `--overwrite`",
            ) from exc
        raise StorageError(f"the store answers for `{place}`: {code or 'no code'}: {said}") from exc


def _split(url: str) -> tuple[str, str]:
    found = _URL.fullmatch(url)
    prefix = found["prefix"].rstrip("/") if found else ""
    if found is None or not _PREFIX.fullmatch(prefix) or len(prefix) > _MAX_PREFIX or ".." in prefix.split("/"):
        raise InputError(
            f"`{printable(url)}` is no place in a bucket", hint="write s3://BUCKET/PREFIX, as s3://evals/nightly/haiku"
        )
    return found["bucket"], prefix


def _connect() -> _Client:
    try:
        import boto3
    except ImportError as exc:
        raise StorageError("S3 needs boto3", hint=how_to_install("s3")) from exc
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    # a store of one's own has seldom a name for each bucket; for others the user's own settings decide
    own = any(os.environ.get(name) for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))
    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_SILENT_SECONDS,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        s3={"addressing_style": "path"} if own else None,
        request_checksum_calculation="when_required",  # we send our own; old stores know no others
        response_checksum_validation="when_required",
    )
    try:
        region = os.environ.get("AWS_REGION") or None  # boto3 reads AWS_DEFAULT_REGION only
        client: _Client = boto3.session.Session(region_name=region).client("s3", config=config)
    except (BotoCoreError, ValueError) as exc:
        raise InputError(
            f"the settings of S3 can't be used: {printable(str(exc))}",
            hint="look at AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION and AWS_PROFILE",
        ) from exc
    return client
