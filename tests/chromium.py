"""A headless Chromium on a pipe: its DevTools protocol, without a driver and without a port.

Chromium reads messages from file descriptor 3 and writes to 4, JSON ended by a zero byte each.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

AXE = Path(__file__).with_name("browser") / "node_modules" / "axe-core" / "axe.min.js"
# Windows that a page must fit: how wide they are, and the colours that a reader likes.
LOOKS = {
    "light": (1280, {"prefers-color-scheme": "light"}),
    "dark": (1280, {"prefers-color-scheme": "dark"}),
    "phone": (390, {"prefers-color-scheme": "light"}),
}
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
SECONDS = 60


def require(found, reason):
    """Skip a test whose tool is missing; in CI nothing may be."""
    if not found:
        pytest.fail(reason) if "CI" in os.environ else pytest.skip(reason)
    return found


class Browser:
    """One page of a browser; `events` are all that it has told so far."""

    def __init__(self, reader, writer):
        self._reader, self._writer, self._rest = reader, writer, b""
        self._count, self._session = 0, None
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        """Ask, and wait for the answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, name):
        while not any(event["method"] == name for event in self.events):
            self.events.append(self._receive())

    def open(self, path, width=1280, height=900, features=None, script=True):
        """Load a file in a window of this size, and with these media features."""
        self.send("Emulation.setScriptExecutionDisabled", value=not script)
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        media = [{"name": name, "value": value} for name, value in (features or {}).items()]
        self.send("Emulation.setEmulatedMedia", features=media)
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        self.wait_for("Page.loadEventFired")

    def run(self, expression):
        """The value of JavaScript, as the developer's console gives it: no policy binds it."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector):
        """A real click, in the middle of an element."""
        x, y = self.run(
            f"""(element => {{
              element.scrollIntoView({{block: "center", inline: "center", behavior: "instant"}});
              const box = element.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            }})(document.querySelector({json.dumps(selector)}))"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent",
                type=kind, x=x, y=y, button="left", clickCount=1,
            )  # fmt: skip

    def press(self, key, code, text=""):
        """A real key."""
        facts = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **facts)
        self.send("Input.dispatchKeyEvent", type="keyUp", **facts)

    def picture(self, path, whole=True):
        data = self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def print(self, path):
        data = self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self):
        """Errors and warnings that the page has caused: of scripts, of the console, of policies."""
        found = []
        for event in self.events:
            facts = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(facts["exceptionDetails"])
            elif event["method"] == "Log.entryAdded":
                found.append(facts["entry"])
            elif event["method"] == "Runtime.consoleAPICalled" and facts["type"] in (
                "error", "warning", "assert",
            ):  # fmt: skip
                found.append(facts)
        return found

    def requests(self):
        """Addresses that the page asked for, but those that hold their content."""
        facts = (e["params"] for e in self.events if e["method"] == "Network.requestWillBeSent")
        addresses = (fact["request"]["url"] for fact in facts)
        return [address for address in addresses if not address.startswith("data:")]

    def violations(self):
        """What axe-core finds wrong with the page as it is now: (rule, elements)."""
        reason = "axe-core is not installed: npm ci --prefix tests/browser"
        axe = require(AXE.is_file() and AXE, reason).read_text(encoding="utf-8")
        # What is folded away must be fit to be seen as well.
        self.run("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        self.run(axe + "; undefined")
        found = json.loads(self.run("axe.run(document).then(found => JSON.stringify(found))"))
        assert len(found["passes"]) > 20
        return [
            (problem["id"], [node["html"][:200] for node in problem["nodes"]])
            for problem in found["violations"]
        ]

    def _receive(self):
        end = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._reader], [], [], max(0, end - time.monotonic()))
            assert ready, f"Chromium has not answered for {SECONDS} seconds"
            part = os.read(self._reader, 1 << 20)
            assert part, "Chromium has ended"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


@contextmanager
def chromium(profile):
    """A browser for as long as this lasts; `profile` is a folder that it may write to."""
    reason = "chromium is not installed (Debian: apt-get install chromium)"
    program = require(next(filter(None, map(shutil.which, NAMES)), None), reason)
    to_read, its_writer = os.pipe()
    its_reader, to_write = os.pipe()
    # The shell gives the two pipes the numbers that Chromium knows them by.
    command = f'exec "$@" 3<&{its_reader} 4>&{its_writer}'
    process = subprocess.Popen(
        ["bash", "-c", command, "bash", program, *FLAGS, f"--user-data-dir={profile}"],
        pass_fds=(its_reader, its_writer), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(its_reader)
    os.close(its_writer)
    try:
        yield Browser(to_read, to_write)
    finally:
        process.terminate()
        process.wait(SECONDS)
        os.close(to_read)
        os.close(to_write)
