"""Runs untrusted code in Caisson's boxes, through a caissond (docs/serve.md). One file, standard library only.

    from caisson import Sandbox
    box = Sandbox()                                   # http://127.0.0.1:8484, token from CAISSON_TOKEN
    result = box.run("print(6 * 7)")                  # Python unless lang says otherwise
    assert result.ok and result.stdout == "42\\n"

    for event in box.stream("import time\\nfor i in range(3): print(i, flush=True); time.sleep(1)"):
        print(event.name, event.text)                 # started, stdout, stderr, then report

    result = await box.run_async("print(1)")          # the same without blocking the event loop
"""
import asyncio
import base64
import concurrent.futures
import http.client
import json
import os
import socket
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, AsyncIterator, Dict, Iterable, Iterator, List, Mapping, Optional, Union

__all__ = ["Sandbox", "Result", "Verdict", "Event", "CaissonError", "Busy"]
Files = Mapping[str, Union[str, bytes]]


class CaissonError(Exception):
    """The server refused the request; `status` is that of HTTP, `id` a stable word for the reason."""

    def __init__(self, status: int, id: str, message: str):
        super().__init__("%s (%d %s)" % (message, status, id))
        self.status, self.id, self.message = status, id, message


class Busy(CaissonError):
    """The queue is full, or the token has used up its minute. Nothing ran: try again later."""


@dataclass(frozen=True)
class Result:
    """How a run ended. `status`: ok, exit_nonzero, signal, timeout, oom, output_limit, denied, needs_approval, setup_error."""
    id: str
    status: str
    exit_code: Optional[int]
    signal: Optional[Any]
    stdout: str
    stderr: str
    duration_ms: int
    peak_memory_mb: Optional[float]
    report: Dict[str, Any] = field(repr=False)   # everything: docs/schema/report.schema.json

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def ran(self) -> bool:
        return self.status not in ("denied", "needs_approval", "setup_error")

    @property
    def reasons(self) -> List[Dict[str, Any]]:
        return self.report.get("reasons") or []

    @property
    def outputs(self) -> Dict[str, bytes]:
        """Files that the run left, by their names, if `outputs` asked for them: box.run(…, outputs=["*.png"])."""
        return {o["name"]: base64.b64decode(o["content"]) if o["encoding"] == "base64" else o["content"].encode()
                for o in self.report.get("outputs") or []}

    @classmethod
    def of(cls, report: Dict[str, Any]) -> "Result":
        return cls(report["id"], report["status"], report["exit_code"], report["signal"], report["stdout"], report["stderr"],
                   report["duration_ms"], report["peak_memory_mb"], report)


@dataclass(frozen=True)
class Verdict:
    """What the gate says about a command: deny, ask, contain or allow."""
    verdict: str
    reasons: List[Dict[str, Any]]
    answer: Dict[str, Any] = field(repr=False)

    @property
    def allowed(self) -> bool:
        return self.verdict in ("allow", "contain")


@dataclass(frozen=True)
class Event:
    """An event of a stream: `started` (run), `stdout` and `stderr` (text), at the end `report` (result)."""
    name: str
    text: str = ""
    run: str = ""
    result: Optional[Result] = None


class _Held:
    """The connection of a call, for whoever wants to end it from outside."""

    def __init__(self) -> None:
        self.connection: Optional[http.client.HTTPConnection] = None
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
        if self.connection is not None and self.connection.sock is not None:
            try:
                self.connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Sandbox:
    """A caissond. An object may be shared by threads: each call has a connection of its own.

    `parallel` bounds the calls of run_async() and stream_async() that are under way at once."""

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, timeout: float = 600, retries: int = 5,
                 parallel: int = 64):
        parts = urllib.parse.urlsplit(url or os.environ.get("CAISSON_URL") or "http://127.0.0.1:8484")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address has the form http://HOST:PORT")
        self._connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path.rstrip("/")
        self._token = token or os.environ.get("CAISSON_TOKEN")
        self._timeout, self._retries = timeout, retries
        self._threads = concurrent.futures.ThreadPoolExecutor(parallel, "caisson")

    # ---- running

    def run(self, code: Optional[str] = None, lang: str = "python", *, files: Optional[Files] = None,
            args: Optional[Iterable[str]] = None, **options: Any) -> Result:
        """Runs code and returns how it ended. `options` are arguments of /v1/run: stdin, timeout_sec, memory_mb, cpus, …"""
        return Result.of(self._json("POST", "/v1/run", self._body(code, lang, files, args, options)))

    def shell(self, command: str, **options: Any) -> Result:
        """Runs shell text with bash."""
        return self.run(None, command=command, **options)

    def stream(self, code: Optional[str] = None, lang: str = "python", *, files: Optional[Files] = None,
               args: Optional[Iterable[str]] = None, **options: Any) -> Iterator[Event]:
        """The same as events while it runs. Closing the iterator ends the run."""
        return self._events(self._body(code, lang, files, args, options), _Held())

    def _events(self, body, held):
        connection, response = self._open("POST", "/v1/run", body, "text/event-stream", held)
        try:
            if not response.getheader("Content-Type", "").startswith("text/event-stream"):
                yield Event("report", result=Result.of(json.loads(response.read())))   # refused: nothing ran
                return
            name = ""
            for line in response:
                text = line.decode().rstrip("\n")
                if text.startswith("event: "):
                    name = text[7:]
                elif text.startswith("data: "):
                    yield self._event(name, json.loads(text[6:]))
        finally:
            response.close()
            connection.close()

    async def run_async(self, code: Optional[str] = None, lang: str = "python", *, files: Optional[Files] = None,
                        args: Optional[Iterable[str]] = None, **options: Any) -> Result:
        """run() without blocking the event loop. Cancelling the task ends the run."""
        held, body = _Held(), self._body(code, lang, files, args, options)
        try:
            report = await asyncio.get_running_loop().run_in_executor(
                self._threads, lambda: self._json("POST", "/v1/run", body, held))
        except asyncio.CancelledError:
            held.cancel()
            raise
        return Result.of(report)

    async def stream_async(self, code: Optional[str] = None, lang: str = "python", *, files: Optional[Files] = None,
                           args: Optional[Iterable[str]] = None, **options: Any) -> AsyncIterator[Event]:
        """stream() without blocking the event loop. Leaving the loop, or cancelling the task, ends the run."""
        loop, held, end = asyncio.get_running_loop(), _Held(), object()
        events = self._events(self._body(code, lang, files, args, options), held)
        step = None
        try:
            while True:
                step = loop.run_in_executor(self._threads, next, events, end)
                event = await asyncio.shield(step)
                if event is end:
                    return
                yield event
        finally:
            held.cancel()
            if step is not None and not step.done():   # the iterator is at work in its thread until the connection ends
                await asyncio.wait([step])
                step.exception()
            events.close()

    # ---- the rest

    def check(self, command: Optional[str] = None, **options: Any) -> Verdict:
        """Judges without running."""
        body = dict(options) if command is None else dict(options, command=command)
        answer = self._json("POST", "/v1/check", body)
        return Verdict(answer["verdict"], answer["reasons"], answer)

    def output(self, run: Union[str, Result], stream: str = "stdout") -> str:
        """The whole output of a run whose report shows it shortened."""
        run, parts, offset = run.id if isinstance(run, Result) else run, [], 0
        while offset is not None:
            part = self._json("GET", "/v1/results/%s?stream=%s&offset=%d&bytes=65536" % (run, stream, offset))
            parts.append(part["text"])
            offset = part["next"]
        return "".join(parts)

    def cancel(self, run: str) -> None:
        self._json("DELETE", "/v1/runs/" + run)

    def runs(self) -> List[Dict[str, Any]]:
        return self._json("GET", "/v1/runs")["runs"]

    def audit(self, **filters: Any) -> List[Dict[str, Any]]:
        return self._json("GET", "/v1/audit?" + urllib.parse.urlencode(filters))["rows"]

    # ---- HTTP

    @staticmethod
    def _body(code, lang, files, args, options):
        body = dict(options)
        if code is not None:
            body.update(code=code, lang=lang)
        if args is not None:
            body["args"] = list(args)
        if files:
            body["files"] = [{"name": n, "content": c} if isinstance(c, str) else
                             {"name": n, "content": base64.b64encode(c).decode(), "encoding": "base64"} for n, c in files.items()]
        return body

    @staticmethod
    def _event(name, data):
        if name == "error":
            raise CaissonError(500, data["error"], data["message"])
        return Event(name, data.get("text", ""), data.get("id", ""), Result.of(data) if name == "report" else None)

    def _open(self, method, path, body, accept="application/json", held=None):
        headers = {"Accept": accept}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        if body is not None:
            headers["Content-Type"] = "application/json"
        held = held or _Held()
        for left in range(self._retries, -1, -1):
            held.connection = connection = self._connect(self._host, self._port, timeout=self._timeout)
            try:
                connection.connect()
                if held.cancelled:
                    raise CaissonError(499, "cancelled", "the call was cancelled")
                connection.request(method, self._path + path, None if body is None else json.dumps(body).encode(), headers)
                response = connection.getresponse()
                if response.status < 400:
                    return connection, response
                text = response.read()
            except BaseException:
                connection.close()
                raise
            connection.close()
            if response.status == 429 and left:   # nothing ran, so asking again is safe
                time.sleep(float(response.getheader("Retry-After", "1")))
                continue
            self._raise(response.status, text)
        raise AssertionError

    @staticmethod
    def _raise(status, text):
        try:
            answer = json.loads(text)
            id, message = answer["error"], answer["message"]
        except (ValueError, KeyError, TypeError):
            id, message = "http", "the server answered with status %d" % status
        raise (Busy if status in (429, 503) else CaissonError)(status, id, message)

    def _json(self, method, path, body=None, held=None):
        connection, response = self._open(method, path, body, held=held)
        try:
            return json.loads(response.read())
        finally:
            connection.close()
