#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Revet developers
# SPDX-License-Identifier: Apache-2.0
"""services.py NAME DIRECTORY ADDRESS... -- SERVICE...: what real clients speak to, on all the addresses of NAME.

HTTP and HTTPS always; of SERVICEs git, ssh, npm, pip, sq, psql. Their own files go to DIRECTORY; what a client
needs (ca.crt, an ssh key and known_hosts, the fingerprint of a certificate) to the current directory. Says
"ready" once all is served.
"""
import base64
import glob
import gzip
import hashlib
import http.server
import io
import json
import os
import socket
import ssl
import subprocess
import sys
import tarfile
import threading
import time
import zipfile

NAME, DIRECTORY = sys.argv[1:3]
ADDRESSES = sys.argv[3:sys.argv.index("--")]
SERVICES = sys.argv[sys.argv.index("--") + 1:]
PAGES = {"/hello": b"hello from afar\n"}


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=DIRECTORY, **options).stdout


def in_directory(name):
    return os.path.join(DIRECTORY, name)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def certificates():
    new_key = ("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout")
    run(*new_key, "ca.key", "-x509", "-days", "2", "-subj", "/CN=Test CA", "-out", os.path.abspath("ca.crt"),
        stderr=subprocess.DEVNULL)
    run(*new_key, "server.key", "-subj", f"/CN={NAME}", "-out", "server.csr", stderr=subprocess.DEVNULL)
    run("openssl", "x509", "-req", "-in", "server.csr", "-CA", os.path.abspath("ca.crt"), "-CAkey", "ca.key",
        "-CAcreateserial", "-days", "2", "-extfile", "/dev/stdin", "-out", "server.pem", stderr=subprocess.DEVNULL,
        input=f"subjectAltName=DNS:{NAME}\n".encode())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, body, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path.startswith("/git/"):
            self.git(path, query)
        elif path in PAGES:
            kind = "text/html" if path.startswith("/simple/") else "application/octet-stream"
            self.answer(PAGES[path], headers=[("Content-Type", kind)])
        else:
            self.answer(b"", 404)

    do_POST = do_GET

    def git(self, path, query):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        variables = {"GIT_PROJECT_ROOT": DIRECTORY, "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "tester",
                     "REQUEST_METHOD": self.command, "PATH_INFO": path[len("/git"):], "QUERY_STRING": query,
                     "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                     "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        head, _, content = run("git", "http-backend", input=body, env={**os.environ, **variables}).partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(value[:3]) for name, value in headers if name == "Status"), 200)
        self.answer(content, status, [header for header in headers if header[0] != "Status"])


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, address, port, context=None):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.context = context
        super().__init__((address, port), Handler)

    def server_bind(self):
        self.socket.bind(self.server_address)  # no name is looked up for it
        self.server_name, self.server_port = NAME, self.server_address[1]

    def finish_request(self, request, client):  # on the thread of that connection
        super().finish_request(self.context.wrap_socket(request, server_side=True) if self.context else request, client)

    def handle_error(self, request, client):
        pass  # who breaks off is what is tested


def git():
    run("git", "init", "-q", "--bare", "-b", "main", "far.git")
    run("git", "-C", "far.git", "config", "http.receivepack", "true")
    run("git", "-C", "far.git", "fast-import", "--quiet", input=b"commit refs/heads/main\ncommitter T <t@far.test> 1 +0000\n"
        b"data 5\nfirst\nM 644 inline file\ndata 5\ntext\n\n")


def ssh():
    git()
    for key in (in_directory("host_key"), "door"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", os.path.abspath(key))
    write(in_directory("allowed"), open("door.pub").read())
    write("known_hosts", f"{NAME} {open(in_directory('host_key.pub')).read()}")
    write(in_directory("sshd_config"), "".join(f"ListenAddress {address}\n" for address in ADDRESSES)
          + f"HostKey {in_directory('host_key')}\nAuthorizedKeysFile {in_directory('allowed')}\n"
          "PidFile none\nUsePAM no\nStrictModes no\nLogLevel QUIET\n")
    return subprocess.Popen(["/usr/sbin/sshd", "-D", "-f", in_directory("sshd_config")])


def npm():
    files = {"package/package.json": '{"name": "toy", "version": "1.0.0"}', "package/index.js": "module.exports = 'a toy'"}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    PAGES["/npm/toy.tgz"] = packed.getvalue()
    distribution = {"tarball": f"http://{NAME}/npm/toy.tgz",
                    "integrity": "sha512-" + base64.b64encode(hashlib.sha512(packed.getvalue()).digest()).decode()}
    PAGES["/npm/toy"] = json.dumps({"name": "toy", "dist-tags": {"latest": "1.0.0"}, "versions": {
        "1.0.0": {"name": "toy", "version": "1.0.0", "dist": distribution}}}).encode()


def pip():
    files = {"toy.py": "kind = 'a toy'\n",
             "toy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n",
             "toy-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    files["toy-1.0.dist-info/RECORD"] = "".join(f"{name},,\n" for name in [*files, "toy-1.0.dist-info/RECORD"])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    PAGES["/simple/toy-1.0-py3-none-any.whl"] = packed.getvalue()
    PAGES["/simple/toy/"] = b'<!DOCTYPE html><a href="../toy-1.0-py3-none-any.whl">toy-1.0-py3-none-any.whl</a>'


def sq():
    run("sq", "key", "generate", "-u", "toy <toy@far.test>", "-e", "key.pgp", stderr=subprocess.DEVNULL)
    PAGES["/pks/lookup"] = run("sq", "key", "extract-cert", "key.pgp", stderr=subprocess.DEVNULL)
    said = run("sq", "inspect", "key.pgp", stderr=subprocess.DEVNULL).decode()
    write("fingerprint", said.split("Fingerprint: ")[1].split()[0])


def psql():
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
    run(f"{programs}/initdb", "-A", "trust", "-U", "tester", "--no-sync", "-D", "data")
    write(in_directory("data/pg_hba.conf"), "".join(f"hostssl all tester {any}/0 trust\n" for any in ("0.0.0.0", "::")))
    server = subprocess.Popen([f"{programs}/postgres", "-D", in_directory("data"), "-k", DIRECTORY, "-c", "fsync=off",
                               "-c", "listen_addresses=" + ",".join(ADDRESSES), "-c", "ssl=on",
                               "-c", f"ssl_cert_file={in_directory('server.pem')}",
                               "-c", f"ssl_key_file={in_directory('server.key')}"], stderr=subprocess.DEVNULL)
    return server


def wait_for(port):
    while True:
        try:
            socket.create_connection((ADDRESSES[0], port)).close()
            return
        except OSError:
            time.sleep(0.02)


os.makedirs(DIRECTORY, exist_ok=True)
certificates()
tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.load_cert_chain(in_directory("server.pem"), in_directory("server.key"))
children = [child for child in [globals()[service]() for service in SERVICES] if child]
for address in ADDRESSES:
    for server in (Server(address, 80), Server(address, 443, tls)):
        threading.Thread(target=server.serve_forever, daemon=True).start()
for service, port in (("ssh", 22), ("psql", 5432)):
    if service in SERVICES:
        wait_for(port)
print("ready", flush=True)
sys.stdin.read()  # until nobody is there any more
for child in children:
    child.terminate()
