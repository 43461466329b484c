import Foundation
import Glibc
import Requirements
import Testing

/// Parts without which the gateway works: a listener that cannot be opened, and an app whose user does not exist.
@Suite struct OptionalPartTests {
  /// The gateway tries again to open a listener after 1 s, 2 s and so on, at most after 60 s.
  private static let longestRetry = Duration.seconds(120)

  /// Starts a program that listens on one port of the addresses until its input ends.
  static func otherProgram(_ hosts: String...) async throws -> (Child, port: String) {
    let program = """
      import socket, sys
      port, listeners = 0, []
      for host in sys.argv[1:]:
          listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
          listener.bind((host, port))
          listener.listen()
          listeners.append(listener)
          port = listener.getsockname()[1]
      print(port, flush=True)
      sys.stdin.read()
      """
    let other = try Child("python3", ["-c", program] + (hosts.isEmpty ? ["127.0.0.1"] : hosts))
    return (other, try await other.output.first("its port") { $0.lines.first })
  }

  private func ready(_ daemon: Daemon) throws -> String {
    try #require(daemon.process.errors.value.lines.first { $0.hasPrefix("READY ") })
  }

  private static let closed = "a listener is closed; the gateway tries to open it again"

  private func open(_ name: String) -> String { "listener=\(name) [Gateway] a listener is open" }

  @Test func `a listener whose address another program has is closed, and opened when the address is free`()
    async throws
  {
    let (other, port) = try await Self.otherProgram()
    let name = "gpsd:127.0.0.1:\(port)"
    let daemon = try await Daemon.start(
      configuration: Daemon.gpsd(address: "127.0.0.1:\(port)") + "[page]\nport = 0\n", ["--log-level", "info"])
    #expect(try ready(daemon).contains(" page=127.0.0.1:") && !ready(daemon).contains("gpsd="))
    try await daemon.process.reported("cannot listen on 127.0.0.1:\(port): address already in use (is gpsd running?")
    // The gateway serves everything else.
    #expect(try await daemon.fix().accuracy == "full")
    let status = try await daemon.status()
    #expect(status["listener-1"] == name && status["listener-1-fault"] == "taken")
    let text = try await daemon.onefix("status", "--language", "en").output
    #expect(text.contains { $0.contains("\(name): closed since ") && $0.hasSuffix("(taken)") })
    let metrics = try await daemon.onefix("metrics").output
    #expect(metrics.contains("onefix_listener_up{listener=\"\(name)\"} 0"))
    #expect(metrics.contains("onefix_listener_up{listener=\"page:localhost:0\"} 1"))
    let doctor = try await daemon.onefix("doctor", "--config", daemon.folder.path("onefix.toml"))
    #expect(doctor.end == .exit(1))
    #expect(doctor.output.contains { $0.contains("The listener \(name) is closed") })
    #expect(doctor.output.contains { $0.contains("Another program listens on 127.0.0.1:\(port): python3") })
    other.closeInput()
    try await daemon.process.reported(open(name), within: Self.longestRetry)
    let client = GPSDClient(carrier: try TCPConnection("127.0.0.1", port))
    try await client.wait(for: "VERSION")
    #expect(try await daemon.status()["listener-1"] == nil)
    #expect(daemon.process.errors.value.lines.count { $0.contains(Self.closed) } == 1)
    try await daemon.stopChecked()
  }

  @Test func `one program on the other loopback address closes the whole listener`() async throws {
    let (other, port) = try await Self.otherProgram("::1")
    let daemon = try await Daemon.start(
      configuration: "[page]\nport = \(port)\n[gpsd_server]\nport = 0\napps = [\"peer\"]\n", ["--log-level", "info"])
    try await daemon.process.reported(
      "cannot listen on [::1]:\(port): address already in use, so 127.0.0.1:\(port) stays closed too")
    #expect(throws: Child.Failure.self) { try TCPConnection("127.0.0.1", port) }
    let page = try await daemon.onefix("page", "--language", "en")
    #expect(page.end != .exit(0) && page.errors.contains { $0.contains("the page is closed: cannot listen on [::1]") })
    let gpsd = try daemon.address("gpsd").port
    #expect(try ready(daemon).contains(" gpsd=127.0.0.1:\(gpsd) gpsd=[::1]:\(gpsd)"))
    other.closeInput()
    try await daemon.process.reported(open("page:localhost:\(port)"), within: Self.longestRetry)
    #expect(try await daemon.onefix("page", "--language", "en").end == .exit(0))
    try await daemon.stopChecked()
  }

  // MARK: Certificates

  @Test func `a TLS listener with a broken certificate accepts nothing, and a good certificate opens it`() async throws
  {
    let authority = try await Authority()
    let good = try String(contentsOfFile: authority.certificate("server"), encoding: .utf8)
    let port = "\(try Mosquitto.freePort())"
    func write(_ certificate: String) throws { _ = try authority.folder.write(certificate, to: "server.pem") }
    try write("no certificate")
    let listener = authority.listener().replacing("127.0.0.1:0", with: "127.0.0.1:\(port)")
    let daemon = try await Daemon.start(configuration: listener, ["--log-level", "info"])
    let name = "tls:127.0.0.1:\(port)"
    try await daemon.process.reported("cannot use \(authority.certificate("server"))")
    #expect(try await daemon.status()["listener-1-fault"] == "certificate")
    #expect(throws: Child.Failure.self) { try TCPConnection("127.0.0.1", port) }
    #expect(try await daemon.fix().accuracy == "full")
    try write(good)
    #expect(try await daemon.onefix("reload").end == .exit(0))
    try await daemon.process.reported(open(name), within: Self.longestRetry)
    let connection = try TCPConnection("127.0.0.1", port)
    // A certificate that is broken at a reload closes the listener and its connections.
    try write("no certificate")
    #expect(try await daemon.onefix("reload").end == .exit(0))
    _ = try await connection.output.first("the end of the connection") { $0.isOver ? true : nil }
    try await daemon.process.reported(Self.closed, times: 2)
    #expect(throws: Child.Failure.self) { try TCPConnection("127.0.0.1", port) }
    // The gateway also tries again without a reload.
    try write(good)
    try await daemon.process.reported(open(name), times: 2)
    try await daemon.stopChecked()
  }

  // MARK: A listener that fails

  /// The kernel lets accept(2) fail with EPERM if a rule of the firewall forbids the connection.
  @Test(
    .needs("apt-get install strace", Program.isInstalled("strace")),
    .enabled(if: Program.mayTrace, "strace may not trace other processes"))
  func `a listener that fails while it runs is closed and opened again, and everything else runs`() async throws {
    let port = "\(try Mosquitto.freePort())"
    let daemon = try await Daemon.start(
      configuration: Daemon.gpsd(address: "127.0.0.1:\(port)"), ["--log-level", "info"])
    let tracer = try Child(
      "strace", ["-f", "-p", "\(daemon.process.pid)", "-e", "trace=accept4", "-e", "inject=accept4:error=EPERM"])
    try await tracer.reported("attached")
    let refused = try TCPConnection("127.0.0.1", port)
    try await daemon.process.reported("cannot listen on 127.0.0.1:\(port): the system closed the listener")
    tracer.kill(SIGINT)
    try await tracer.finish()
    try await daemon.process.reported(open("gpsd:127.0.0.1:\(port)"), times: 2)
    _ = refused
    let client = GPSDClient(carrier: try TCPConnection("127.0.0.1", port))
    try await client.wait(for: "VERSION")
    #expect(try await daemon.fix().accuracy == "full")
    try await daemon.stopChecked()
  }

  // MARK: IPv6

  /// Whether the programs `ip` and `sysctl` are installed.
  private static var hasTools: Bool {
    ["/bin/ip", "/sbin/sysctl"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Starts a daemon in a network of its own, whose ports are all free.
  private func startAlone(ipv6: Bool, _ configuration: String) async throws -> Daemon {
    let ending = ipv6 ? "" : "/sbin/sysctl -q net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.lo.disable_ipv6=1 && "
    return try await Daemon.start(
      configuration: configuration, ["--log-level", "info"],
      wrapper: Namespace.words("--net") + ["sh", "-c", "/bin/ip link set lo up && \(ending)exec \"$0\" \"$@\""])
  }

  @Test(.needsNamespaces, .needs("apt-get install iproute2 procps", hasTools), arguments: [true, false])
  func `a client of gpsd that connects to localhost is served, with and without IPv6`(ipv6: Bool) async throws {
    let daemon = try await startAlone(
      ipv6: ipv6,
      "[gpsd_server]\napps = [\"sailor\"]\n[[app]]\nid = \"sailor\"\nuid = \(Namespace.user)\n[page]\nport = 8021\n")
    let expected =
      ipv6
      ? " gpsd=127.0.0.1:2947 gpsd=[::1]:2947 page=127.0.0.1:8021 page=[::1]:8021"
      : " gpsd=127.0.0.1:2947 page=127.0.0.1:8021"
    #expect(try ready(daemon).hasSuffix(expected))
    #expect(!daemon.process.errors.value.lines.contains { $0.contains(" warning ") })
    #expect(try await daemon.status()["listener-1"] == nil)
    let network = Namespace.network(of: daemon.process.pid)
    let client = GPSDClient(carrier: try Child("/usr/bin/env", network + ["gpspipe", "-w", "localhost:2947"]))
    try await daemon.armed()
    try await daemon.pressed()
    try await client.wait(for: "a position") { $0.contains(where: \.hasPosition) ? true : nil }
    if ipv6 {
      let program = "import urllib.request; print(urllib.request.urlopen('http://[::1]:8021/').read().decode())"
      let page = try await Child("/usr/bin/env", network + ["python3", "-c", program]).finish()
      #expect(page.end == .exit(0) && page.output.contains { $0.contains("<html") })
    }
    try await daemon.stopChecked()
  }

  // MARK: Users

  /// Sends HELLO as the user 4242. Returns the connection and the answer.
  private func hello(_ daemon: Daemon) async throws -> (Peer, String) {
    let peer = Peer(
      try Child("setpriv", ["--reuid=4242", "--regid=4242", "--clear-groups", "nc", "-U", daemon.socket]))
    return (peer, try await peer.reply(to: "HELLO 1 app=ghost"))
  }

  /// The daemon has an `/etc/passwd` of its own, which the test changes.
  @Test(.needs("root, to act as other users", getuid() == 0))
  func `the name of an app's user is resolved at the start and at a reload, and an app without its user is off`()
    async throws
  {
    let folder = try Folder()
    _ = unsafe chmod(folder.path, 0o755)
    let usual = try String(contentsOfFile: "/etc/passwd", encoding: .utf8)
    let passwd = try folder.write(usual, to: "passwd")
    /// Gives the number 4242 to a user. The file stays the same file, which is mounted over `/etc/passwd`.
    func add(_ user: String) throws {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: passwd))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data("\(usual)\(user):x:4242:4242::/:/bin/false\n".utf8))
      try file.close()
    }
    let daemon = try await Daemon.start(
      in: folder, configuration: "[[app]]\nid = \"ghost\"\nuid = \"onefix-ghost\"\n", ["--log-level", "info"],
      wrapper: ["unshare", "--mount", "sh", "-c", "mount --bind \(passwd) /etc/passwd && exec \"$0\" \"$@\""])
    try await daemon.process.reported("code=app-user")
    #expect(try await daemon.status()["apps-off"] == "ghost")
    #expect(try await daemon.onefix("metrics").output.contains("onefix_app_on{app=\"ghost\"} 0"))
    #expect(try await daemon.onefix("status", "--language", "en").output.contains { $0.contains("ghost: its user") })
    #expect(try await hello(daemon).1.hasPrefix("-ERR 902"))
    #expect(try await daemon.fix().accuracy == "full")
    // A new user is the app after a reload, and not before.
    try add("onefix-ghost")
    #expect(try await hello(daemon).1.hasPrefix("-ERR 902"))
    #expect(try await daemon.onefix("reload").end == .exit(0))
    let (session, answer) = try await hello(daemon)
    #expect(answer.hasPrefix("+OK"))
    #expect(try await daemon.status()["apps-off"] == nil)
    // Another user with the number of a deleted user is not the app after a reload.
    try add("thief")
    #expect(try await hello(daemon).1.hasPrefix("+OK"), "the name is not resolved for each connection")
    #expect(try await daemon.onefix("reload").end == .exit(0))
    _ = try await session.next("-ERR 902")
    #expect(try await hello(daemon).1.hasPrefix("-ERR 902"))
    #expect(try await daemon.status()["apps-off"] == "ghost")
    try await daemon.stopChecked()
  }
}
