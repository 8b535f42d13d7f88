"""A cluster's client from a kubeconfig, or from within the cluster, as the official client reads them."""

from __future__ import annotations

import contextlib
import os
import ssl
import tempfile
import threading
from collections.abc import Mapping
from typing import Any

import urllib3
import yaml
from kubernetes import client, config
from urllib3.util.ssl_ import create_urllib3_context

from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.finding import error
from vastplan.model.nearest import known_ones, nearest
from vastplan.model.sensitive import keep_secret
from vastplan.model.urls import LOGIN_IN_URL, holds_login
from vastplan.systems.failures import one_line
from vastplan.systems.proxies import environment_proxies

# The official client remembers the files it has written by their content: two loads at once could lose each other's.
_LOADING = threading.Lock()
_TRUST = ("ca_certs", "ca_cert_data", "cert_file", "key_file")


def connect(
    *,
    kubeconfig: str | Mapping[str, Any] | None,
    context: str | None,
    in_cluster: bool,
    unverified: bool = False,
    decides: bool = True,
    direct: bool = False,
) -> client.ApiClient:
    """The official client for a context of a file, of a kubeconfig's content, or of the usual files.

    A kubeconfig that does not check the server's certificate is not enough: `unverified` must be true, too. `unverified` alone
    is not enough if its author may not decide that (`decides` is false), because the credential belongs to somebody else. With
    `direct` no proxy is asked, whatever the environment says.

    Raises:
        Invalid: `unverified` is not enough.
        VastplanError: No kubeconfig or context exists, its credentials cannot be obtained, or an address contains a login.
    """
    settings, context_text = client.Configuration(), f"kubernetes: context {context or '(current)'}"
    # TLS accepts a certificate and its key only as files: they are in memory if possible, and for a short time.
    with _LOADING, tempfile.TemporaryDirectory(prefix="vastplan-", dir=_memory_folder()) as folder:
        try:
            if in_cluster:
                config.load_incluster_config(client_configuration=settings)  # type: ignore[no-untyped-call]
            elif isinstance(kubeconfig, Mapping):
                config.load_kube_config_from_dict(  # type: ignore[no-untyped-call]
                    dict(kubeconfig), context=context, client_configuration=settings,
                    persist_config=False, temp_file_path=folder,
                )  # fmt: skip
            else:
                config.load_kube_config(  # type: ignore[no-untyped-call]
                    config_file=kubeconfig, context=context, client_configuration=settings,
                    persist_config=False, temp_file_path=folder,
                )  # fmt: skip
        except config.ConfigException as problem:
            raise VastplanError(f"kubernetes: {_refused(str(problem), kubeconfig, context)}") from None
        except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, OSError):
            # The problem is not quoted: the file has credentials in it.
            raise VastplanError(f"{context_text}: the kubeconfig is damaged or in another format") from None
        proxy = settings.proxy if settings.proxy not in environment_proxies() else None  # set by the kubeconfig
        for part, url in (("server", settings.host), ("proxy-url", proxy)):
            if url and holds_login(url):
                raise VastplanError(f"{context_text}: its {part} is not used: {LOGIN_IN_URL}")
        if settings.password:
            keep_secret(settings.password)
        if not (settings.api_key or settings.cert_file or settings.username):
            # A credential plug-in that fails leaves the client without credentials and reports nothing.
            raise VastplanError(f"{context_text} yields no credentials")
        if unverified and not decides and settings.verify_ssl:
            text = f"{context_text}: insecure_skip_verify would send the runner's credential to a server whose certificate is not checked"
            fix = "write insecure-skip-tls-verify: true in the kubeconfig too, or give the address with --connections"
            raise Invalid([error("VP242", text, fix=fix)])
        if unverified:
            settings.verify_ssl = False
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)  # the plan reports it once
        elif not settings.verify_ssl:
            raise VastplanError(
                f"{context_text} does not check the server's certificate; write "
                "certificate-authority in it, or insecure_skip_verify: true beside the context"
            )
        if direct:
            settings.proxy = None
        api = client.ApiClient(settings)
        pools = api.rest_client.pool_manager.connection_pool_kw
        pools["ssl_context"] = _tls_context(settings)
        for name in _TRUST:
            pools.pop(name, None)
    return api


def _refused(problem: str, kubeconfig: str | Mapping[str, Any] | None, context: str | None) -> str:
    """The official client's complaint about a kubeconfig, and what to write."""
    if "No configuration found" in problem:
        return "no kubeconfig found; write kubeconfig: FILE, or set the variable KUBECONFIG"
    if context is None or f"name {context} in " not in problem or "/contexts list" not in problem:
        return one_line(problem.removeprefix("Invalid kube-config file. "))
    names: list[str] = []
    with contextlib.suppress(Exception):  # the file was read a moment ago; if it cannot be read now, no names are shown
        contexts = (
            kubeconfig["contexts"]
            if isinstance(kubeconfig, Mapping)
            else config.list_kube_config_contexts(kubeconfig)[0]  # type: ignore[no-untyped-call]
        )
        names = [str(member["name"]) for member in contexts]
    hint = nearest(context, names) or known_ones(names)
    return one_line(f"the kubeconfig has no context {context}" + (f" ({hint})" if hint else ""))


def _tls_context(settings: client.Configuration) -> ssl.SSLContext:
    """The trusted authorities and the client certificate: read once, not from files at every connection."""
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED if settings.verify_ssl else ssl.CERT_NONE)
    try:
        if settings.ssl_ca_cert or settings.ca_cert_data:
            context.load_verify_locations(cafile=settings.ssl_ca_cert, cadata=settings.ca_cert_data)
        else:
            context.load_default_certs()
        if settings.cert_file:
            # Without a password here, OpenSSL would ask for one on the terminal.
            context.load_cert_chain(settings.cert_file, settings.key_file, password="")
    except (OSError, ValueError) as problem:
        raise VastplanError(
            f"kubernetes: the client certificate or its key cannot be used: {one_line(str(problem))}"
        ) from None
    return context


def _memory_folder() -> str | None:
    """A folder in memory, `None` if none exists."""
    places = (os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm")  # nosec B108 # noqa: S108 - for a folder that tempfile makes
    return next((place for place in places if os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)), None)
