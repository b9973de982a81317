"""A client of the Language Server Protocol over a pipe, as small as a test needs."""
import json, os, subprocess, threading, queue


class Client:
    def __init__(self, *words, server=None):
        self.server = subprocess.Popen([*(server or [os.environ.get("BIN", "parplan"), "lsp"]), *words], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.messages, self.number, self.kept, self.bytes = queue.Queue(), 0, [], bytearray()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        out = self.server.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line == b"\r\n":
                    break
                name, value = line.decode().split(":")
                if name == "Content-Length":
                    length = int(value)
            body = out.read(length)
            self.bytes += body
            self.messages.put(json.loads(body))

    def raw(self, text):
        self.server.stdin.write(text)
        self.server.stdin.flush()

    def send(self, message):
        text = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(text) + text)

    def wait(self, wanted, seconds=30):
        """The next message for which `wanted` holds; others are kept."""
        for i, message in enumerate(self.kept):
            if wanted(message):
                return self.kept.pop(i)
        while True:
            message = self.messages.get(timeout=seconds)
            if message is None:
                raise EOFError("the server is gone: %s" % self.server.stderr.read().decode())
            if "method" in message and "id" in message:  # what it asks is its own affair
                self.send({"id": message["id"], "result": None})
                continue
            if wanted(message):
                return message
            self.kept.append(message)

    def ask(self, method, params=None):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params})
        return self.wait(lambda m: m.get("id") == number)

    def tell(self, method, params=None):
        self.send({"method": method, "params": params})

    def diagnostics(self, uri, version=None):
        def is_it(message):
            params = message.get("params", {})
            return (message.get("method") == "textDocument/publishDiagnostics" and params.get("uri") == uri
                    and version in (None, params.get("version", version)))
        return self.wait(is_it)["params"]["diagnostics"]

    def start(self):
        answer = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})
        return answer["result"]

    def open(self, uri, text, language="yaml"):
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}})
        return self.diagnostics(uri, 1)

    def stop(self):
        self.ask("shutdown")
        self.tell("exit")
        return self.server.wait(timeout=10)


def position(text, what, after=0):
    """Line and UTF-16 column of the first place where `what` stands, and `after` units behind."""
    at = text.index(what)
    line = text.count("\n", 0, at)
    column = len(text[text.rfind("\n", 0, at) + 1:at].encode("utf-16-le")) // 2
    return {"line": line, "character": column + after}
