"""A headless Chromium of the operating system, spoken to by its DevTools protocol; it may reach nothing but files."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class NoBrowser(Exception):
    """There is none on this machine."""


class Browser:
    """One browser and one page. `requests` and `complaints` are what the page asked for and what the console said."""

    def __init__(self) -> None:
        found = os.environ.get("VASTPLAN_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
        if found is None:
            raise NoBrowser(
                "no Chromium found: install one (apt-get install chromium), or name it in VASTPLAN_CHROMIUM"
            )
        self._folder = tempfile.TemporaryDirectory(prefix="vastplan-browser-", ignore_cleanup_errors=True)
        words = [
            found, "--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
            "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
            # Nothing but this machine has a name or an address: what leaves the page fails, and is seen.
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self._folder.name}", "about:blank",
        ]  # fmt: skip
        if os.geteuid() == 0:
            words.insert(1, "--no-sandbox")  # Chromium's own sandbox does not work for root
        try:
            self._process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError as problem:
            raise NoBrowser(f"{found} cannot be started: {problem.strerror}") from None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._number = 0
        try:
            self._socket = self._connected()
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def _connected(self) -> Any:
        file = Path(self._folder.name) / "DevToolsActivePort"
        for _ in range(600):
            if file.exists() and len(lines := file.read_text().splitlines()) == 2:
                break
            if self._process.poll() is not None:
                raise NoBrowser(f"Chromium ended with {self._process.returncode} at once")
            time.sleep(0.1)
        else:
            raise NoBrowser("Chromium opened no DevTools port")
        browser = websocket.create_connection(f"ws://127.0.0.1:{lines[0]}{lines[1]}", timeout=120, suppress_origin=True)
        self._socket = browser
        targets = self.call("Target.getTargets")["targetInfos"]
        (page,) = [one["targetId"] for one in targets if one["type"] == "page"]
        browser.close()
        socket = websocket.create_connection(
            f"ws://127.0.0.1:{lines[0]}/devtools/page/{page}", timeout=120, suppress_origin=True
        )
        self._socket = socket
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return socket

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One call of the protocol; what happens meanwhile is noted."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            said = json.loads(self._socket.recv())
            if said.get("id") == self._number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                found: dict[str, Any] = said["result"]
                return found
            self._note(said)

    def _note(self, said: dict[str, Any]) -> None:
        method, what = said.get("method"), said.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif method in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
            self.complaints.append(json.dumps(what))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(what["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(what["entry"]["text"])
        elif method == "Page.loadEventFired":
            self._loaded = True

    def open(self, file: Path, *, width: int = 1280, dark: bool = False) -> None:
        """Show a file, and wait until it is there."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.go(file.as_uri())

    def go(self, url: str) -> None:
        """Follow a link, at the same width."""
        self.requests.clear()
        self.complaints.clear()
        self._loaded = False
        self.call("Page.navigate", url=url)
        while not self._loaded:
            self._note(json.loads(self._socket.recv()))

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page; the question is ours, so the page's policy does not hold for it."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def picture(self, file: Path, *, tallest: int = 2400) -> None:
        """The page as PNG, from its top, at most so many pixels of it."""
        height = min(tallest, int(self.ask("document.documentElement.scrollHeight")))
        width = int(self.ask("innerWidth"))
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(shot["data"]))
