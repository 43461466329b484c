import Foundation
import LineProtocol
import Repository
import Requirements
import Testing

/// `onefix.py` as a module.
@Suite struct PythonClientTests {
  static let clients = "\(Repository.root)/Sources/Documentation/clients"

  /// Starts a script that may use the module, and a client whose gateway is the other end of a pair of sockets.
  static func script(_ text: String, _ arguments: [String] = []) throws -> Child {
    let begin = """
      import json, socket, sys
      import onefix
      ours, theirs = socket.socketpair()
      client = onefix.Client(ours)
      """
    return try Child(
      "python3", ["-B", "-c", "\(begin)\n\(text)"] + arguments, environment: ["PYTHONPATH": clients])
  }

  private static func output(_ text: String, _ arguments: [String] = []) async throws -> [String] {
    let end = try await script(text, arguments).finish()
    #expect(end.end == .exit(0), "\(end.errors)")
    return end.output
  }

  /// The codes of each exception, as the page says.
  static func documented() throws -> [Int: String] {
    let page = try #require(Page.all.first { $0.path.hasSuffix("Documentation/host-app.md") })
    var names: [Int: String] = [:]
    for row in page.text.matches(of: /(?m)^\| `([A-Za-z]+)` \| ([0-9, to]+) \|/) {
      for range in row.2.split(separator: ",") {
        let ends = range.split(separator: " ").compactMap { Int($0) }
        let (first, last) = (try #require(ends.first), try #require(ends.last))
        for code in first...last { names[code] = String(row.1) }
      }
    }
    return names
  }

  @Test func `each error code becomes the exception that the page names`() async throws {
    let documented = try Self.documented()
    let text = """
      for code in sys.argv[1:]:
          error, _ = onefix._error(f"-ERR {code} slug @1 retry-after=7 :text")
          assert isinstance(error, onefix.OneFixError)
          assert not isinstance(error, onefix.Refused) or (error.code, error.retry_after) == (int(code), 7)
          print(type(error).__name__)
      """
    let names = try await Self.output(text, ErrorCode.allCases.map { "\($0.rawValue)" })
    #expect(names.count == ErrorCode.allCases.count)
    for (code, name) in zip(ErrorCode.allCases, names) { #expect(documented[code.rawValue] == name, "\(code)") }
  }

  @Test(arguments: [#"Find\tparks"#, #"Find\nparks"#, #"Find\x1b[7m"#, #"Find\udc80"#])
  func `a purpose that cannot be a part of a line is an error of the client, and is not sent`(purpose: String)
    async throws
  {
    let text = """
      for ask in (client.request_once, client.authorize):
          theirs.sendall(b"+OK @3\\n+OK @4\\n")
          try:
              ask(purpose="\(purpose)")
          except onefix.OneFixError as error:
              print(type(error).__name__, error.code)
      ours.close()
      print(b"purpose" in theirs.recv(4096))
      """
    #expect(try await Self.output(text) == ["Invalid 405", "Invalid 405", "False"])
  }

  @Test(arguments: [
    (#"MSG authorization authorize {\"status\":\"always\",\"accuracy\":\"full\"}"#, "always"),
    (#"-ERR 420 no-press @1 :no user answered in time"#, "NoPress"), (#"-ERR 414 locked @1 :locked"#, "Locked"),
  ])
  func `authorize takes no earlier state for the answer`(end: String, result: String) async throws {
    let text = """
      old = b'authorize {"status":"notDetermined","accuracy":"full"}\\n'
      theirs.sendall(b"+OK @2\\nMSG authorization " + old.replace(b" ", b" ret=1 ", 1) + b"MSG authorization " + old)
      theirs.sendall(b"+OK @1 state=asking authorization=notDetermined accuracy=full\\n")
      theirs.sendall(b"MSG fix/once - id=1 {}\\n\(end)\\n+OK @3\\n")
      try:
          print(client.authorize("full-accuracy", purpose="To warn")["status"])
      except onefix.Refused as error:
          print(type(error).__name__)
      print(theirs.recv(4096).decode(), end="")
      """
    let sent = ["@2 SUB authorization authorize", "@1 AUTHORIZE full-accuracy purpose=To warn", "@3 UNSUB authorize"]
    #expect(try await Self.output(text) == [result] + sent)
  }

  @Test func `in asyncio, several apps can wait at the same time, and a cancelled wait withdraws its request`()
    async throws
  {
    try await Daemon.with { daemon in
      let text = """
        import asyncio
        async def main():
            async with await onefix.connect_async(sys.argv[1], app="peer") as client:
                armed = asyncio.Event()
                asking = asyncio.create_task(client.request_once(armed=armed.set))
                await armed.wait()
                asking.cancel()
                try:
                    await asking
                except asyncio.CancelledError:
                    print("cancelled", flush=True)
            first, second = [await onefix.connect_async(sys.argv[1], app=app) for app in ("peer", "onefix")]
            waiting = [asyncio.Event(), asyncio.Event()]
            both = asyncio.gather(*(c.request_once(armed=w.set) for c, w in zip((first, second), waiting)))
            for event in waiting:
                await event.wait()
            print("waiting", flush=True)
            print(*(fix["accuracy"] for fix in await both))
            await first.close()
            await second.close()
        asyncio.run(main())
        """
      let app = try Self.script(text, [daemon.socket])
      try await app.printed("waiting")
      try await daemon.press(untilEndOf: app)
      let finished = try await app.finish()
      #expect(finished.end == .exit(0) && finished.output == ["cancelled", "waiting", "full full"], "\(finished)")
    }
  }

  @Test func `a connection that another thread closes stays open until the waiting thread has read its end`()
    async throws
  {
    let text = """
      import threading
      class Line:
          reading, woken, closed = threading.Event(), threading.Event(), threading.Event()
          settimeout = sendall = lambda self, _: None
          def shutdown(self, _): self.woken.set()
          def close(self): self.closed.set()
          def recv(self, _):
              self.reading.set()
              self.woken.wait()
              print("closed" if self.closed.wait(0.5) else "open")
              return b""
      line = Line()
      client = onefix.Client(line)
      def wait():
          try:
              client.status()
          except onefix.ConnectionLost:
              print("lost")
      waiting = threading.Thread(target=wait)
      waiting.start()
      line.reading.wait()
      client.close()
      waiting.join()
      print(line.closed.is_set())
      """
    #expect(try await Self.output(text) == ["open", "lost", "True"])
  }

  @Test func `in asyncio, a loop over updates that ends with a break can begin again at once`() async throws {
    try await Daemon.with { daemon in
      let owner = try await Peer.owner(daemon, "SUB owner/prompt asked")
      let text = """
        import asyncio
        async def main():
            async with await onefix.connect_async(sys.argv[1], app="peer") as client:
                print((await client.authorize("when-in-use", purpose="To warn of shallows"))["status"])
                for _ in range(2):
                    async for fix in client.updates(interval=0):
                        print(fix["accuracy"])
                        break
        asyncio.run(main())
        """
      let app = try Self.script(text, [daemon.socket])
      _ = try await owner.next("MSG owner/prompt asked")
      #expect(try await owner.reply(to: "ANSWER 1 while-using") == "+OK")
      let finished = try await app.finish()
      #expect(finished.end == .exit(0) && finished.output == ["whenInUse", "full", "full"], "\(finished)")
    }
  }

  @Test func `in asyncio, a second loop over updates that have ended ends at once`() async throws {
    let text = """
      import asyncio
      async def main():
          client = onefix.AsyncClient()
          client._client = onefix.Client(ours)
          theirs.sendall(b"-ERR 413 not-in-use @1 :no\\n+OK @2\\n")
          updates = client.updates()
          for _ in range(2):
              try:
                  async for fix in updates:
                      print(fix)
                  print("over")
              except onefix.NotInUse as error:
                  print(error.code)
          await client.close()
      asyncio.run(main())
      """
    #expect(try await Self.output(text) == ["413", "over"])
  }

  /// A call that the app ends, and one that the user interrupts while the gateway is silent, which ends at once.
  @Test(arguments: [
    (#"int("none")"#, "ValueError", "True", ["@1 REQ once timeout=300", "@2 CANCEL", "@3 STATUS"]),
    ("stop()", "KeyboardInterrupt", "False", ["@1 REQ once timeout=300", "@2 CANCEL"]),
  ])
  func `a request whose call ends without an answer of the gateway is withdrawn`(
    armed: String, error: String, answers: String, sent: [String]
  ) async throws {
    let text = """
      import time
      theirs.sendall(b"+OK @1 state=awaiting-press\\n")
      if \(answers):
          theirs.sendall(b"+OK @2\\n+OK @3 state=idle\\n")
      def stop():
          raise KeyboardInterrupt
      begin = time.monotonic()
      try:
          client.request_once(armed=lambda: \(armed))
      except \(error):
          print(time.monotonic() - begin < 5, client.status()["state"] if \(answers) else "")
      print(theirs.recv(4096).decode(), end="")
      """
    #expect(try await Self.output(text) == [answers == "True" ? "True idle" : "True "] + sent)
  }

  @Test func `a request whose call ends with the connection is withdrawn on the next connection`() async throws {
    let text = """
      def connection(lines):
          ours, theirs = socket.socketpair()
          theirs.sendall(lines.encode())
          return ours, theirs
      ours, theirs = connection("+OK @1 state=awaiting-press\\n")
      replies = "".join(f"+OK @{n} state=awaiting-press\\n" for n in range(4, 10))
      again, gateway = connection("INFO proto=1 id=x\\n" + replies)
      client = onefix.Client(ours, lambda: (again, ""), "app")
      client._session = "s1"
      def stop():
          theirs.close()
          raise ValueError
      try:
          client.request_once(armed=stop)
      except ValueError:
          client.status()
      print(gateway.recv(4096).decode(), end="")
      """
    let sent = [
      "@4 HELLO 1 app=app keepalive=0 session=s1", "@5 UNSUB press 1000000", "@6 STATUS", "@7 CANCEL", "@8 STATUS",
      "@9 STATUS",
    ]
    #expect(try await Self.output(text) == sent)
  }

  @Test func `a request that is sent again after a lost connection is withdrawn if its call ends`() async throws {
    let text = """
      (ours, theirs), (again, gateway) = socket.socketpair(), socket.socketpair()
      theirs.sendall(b"-ERR 906 shutting-down :the end\\n")
      gateway.sendall(b"INFO proto=1 id=x\\n+OK @2\\n+OK @3\\n+OK @4 state=idle\\n+OK @1 state=awaiting-press\\n")
      client = onefix.Client(ours, lambda: (again, ""), "app")
      client._session = "s1"
      try:
          client.request_once(armed=lambda: int("none"))
      except ValueError:
          print(gateway.recv(4096).decode(), end="")
      """
    let sent = [
      "@2 HELLO 1 app=app keepalive=0 session=s1", "@3 UNSUB press 1000000", "@4 STATUS", "@1 REQ once timeout=300",
      "@5 CANCEL",
    ]
    #expect(try await Self.output(text) == sent)
  }

  @Test(arguments: [
    ("220 mail.example ESMTP", ["Untrusted"]),
    (#"INFO proto=1 id=x\n+OK @2 auth=required"#, ["Unauthenticated", "@2 HELLO 1 app=app keepalive=0"]),
    (#"INFO proto=1 id=x\n-ERR 902 auth-failed @2 :no"#, ["Unauthenticated", "@2 HELLO 1 app=app keepalive=0"]),
  ])
  func `a program that is not the gateway of the app receives no withdrawal`(lines: String, output: [String])
    async throws
  {
    let text = """
      (ours, theirs), (again, program) = socket.socketpair(), socket.socketpair()
      theirs.close()
      program.sendall(b"\(lines)\\n")
      try:
          onefix.Client(ours, lambda: (again, ""), "app").request_once()
      except onefix.OneFixError as error:
          print(type(error).__name__)
      print(program.recv(4096).decode(), end="")
      """
    #expect(try await Self.output(text) == output)
  }

  @Test func `a request that was not sent is not withdrawn`() async throws {
    let text = """
      try:
          client.request_once(timeout="60")
      except TypeError:
          ours.close()
      print(theirs.recv(4096))
      """
    #expect(try await Self.output(text) == ["b''"])
  }

  @Test func `an empty host of the command stands for the socket`() async throws {
    let words = ["--app", "app", "--socket", "/nonexistent", "--host", ""]
    let end = try await Child("python3", ["-B", "\(Self.clients)/onefix.py"] + words).finish()
    #expect(end.end == .exit(1) && end.errors.contains { $0.hasPrefix("NoGateway: ") }, "\(end)")
  }

  @Test(arguments: [
    (["--host", "boat"], "'boat' is not HOST:PORT"), (["--host", "boat:x"], "'boat:x' is not HOST:PORT"),
    (["--host", "boat:70000"], "'boat:70000' is not HOST:PORT"),
    (["--key-file", "/nonexistent"], "No such file or directory: '/nonexistent'"),
    (["--updates", "0"], "COUNT must be 1 or more"),
  ])
  func `a wrong argument of the command is an error with its cause`(arguments: [String], cause: String) async throws {
    let end = try await Child("python3", ["-B", "\(Self.clients)/onefix.py", "--app", "app"] + arguments).finish()
    #expect(end.end == .exit(2) && end.errors.contains { $0.contains(cause) }, "\(end)")
  }

  @Test func `a host name that cannot exist and a file that cannot be read are errors of the module`() async throws {
    let missing = try Folder().path("ca.pem")
    let text = """
      for host, tls in (("boat..example", None), ("localhost", sys.argv[1])):
          try:
              onefix.connect((host, 7448), app="ferry", key="A" * 43, tls=tls)
          except onefix.OneFixError as error:
              print(type(error).__name__, sys.argv[1] in str(error), "is the name right?" in str(error))
      """
    #expect(try await Self.output(text, [missing]) == ["NoGateway False True", "Invalid True False"])
  }

  @Test func `the system probes a silent connection of the module, as it does at the gateway`() async throws {
    let text = """
      server = socket.create_server(("127.0.0.1", 0))
      connection, _ = onefix._open(server.getsockname(), None, None)
      print(connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
      for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT"):
          print(connection.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)))
      connection.close()
      """
    #expect(try await Self.output(text) == ["1", "60", "15", "4"])
  }

  @Test(.needs("apt-get install mypy", Program.isInstalled("mypy")))
  func `the types of the module are complete and right`() async throws {
    let folder = try Folder()
    let app = """
      import onefix
      with onefix.connect(("localhost", 7448), app="ferry", key="AAEC", tls=True) as client:
          fix = client.request_once(purpose="Find parks", timeout=60)
          print(fix["lat"] + fix["hacc"], client.authorize()["status"].upper())
          for update in client.updates(interval=5000):
              print(update["time"].upper())
      """
    let file = try folder.write(app, to: "app.py")
    let options = ["--strict", "--python-version", "3.9", "--cache-dir", folder.path("cache")]
    let end = try await Child(
      "mypy", options + ["\(Self.clients)/onefix.py", file], environment: ["MYPYPATH": Self.clients]
    )
    .finish()
    #expect(end.end == .exit(0), "\(end.output)")
    let wrong = try folder.write(app.replacing("timeout=60", with: "timeout=\"60\""), to: "wrong.py")
    let found = try await Child("mypy", options + [wrong], environment: ["MYPYPATH": Self.clients]).finish()
    #expect(found.end == .exit(1) && found.output.contains { $0.contains("timeout") }, "\(found)")
  }

  @Test func `the packages of the clients have the version of this release`() throws {
    for (file, text) in [
      ("pyproject.toml", "version = \"\(Release.version)\""), ("package.json", "\"version\": \"\(Release.version)\""),
    ] {
      let contents = try String(contentsOfFile: "\(Self.clients)/\(file)", encoding: .utf8)
      #expect(contents.contains(text), "\(file)")
    }
  }

  /// Whether Debian's Python can build and install a package.
  private static let hasPip = ["pip", "setuptools", "wheel"].allSatisfy { name in
    FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/\(name)")
  }

  @Test(.needs("apt-get install python3-pip python3-setuptools python3-wheel", hasPip))
  func `pip installs the module from its folder`() async throws {
    let folder = try Folder()
    // The build writes into its folder.
    let copy = folder.path("clients")
    try FileManager.default.copyItem(atPath: Self.clients, toPath: copy)
    let options = ["--quiet", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    let installed = folder.path("installed")
    let end = try await Child("/usr/bin/python3", ["-m", "pip", "install"] + options + ["--target", installed, copy])
      .finish()
    #expect(end.end == .exit(0), "\(end)")
    let found = try await Child(
      "python3", ["-B", "-c", "import onefix; print(onefix.__file__)"], environment: ["PYTHONPATH": installed]
    ).finish()
    #expect(found.output == ["\(installed)/onefix.py"], "\(found)")
  }
}
