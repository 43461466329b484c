import Foundation
import LineProtocol
import Requirements
import Testing

/// Python's web server, which checks the parameters as Traccar documents them (traccar.org/osmand). Traccar stores other
/// parameters as attributes of the position. The server prints the status and the id of each request.
private final class Receiver {
  private static let program = """
    import http.server, ssl, sys, threading, urllib.parse

    port, answers, files = int(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]
    ranges = {
        "lat": (-90, 90), "lon": (-180, 180), "timestamp": (1, 2**31), "accuracy": (0, 1e6), "altitude": (-1e4, 1e5),
        "speed": (0, 1e3), "bearing": (0, 360), "hdop": (0, 100),
    }
    attributes = {"measured", "age_ms", "coasted", "suspect"}

    def fault(query, kind, parameters):
        if query or kind != "application/x-www-form-urlencoded":
            return "the parameters are not in the body"
        if parameters.pop("id", None) != ["boat_peer"]:
            return "unknown device"
        if not {"lat", "lon", "timestamp", "accuracy"} <= parameters.keys():
            return "a parameter is missing"
        for name, values in parameters.items():
            if name in attributes:
                continue
            low, high = ranges[name]
            if len(values) != 1 or not low <= float(values[0]) <= high or (name == "timestamp" and "." in values[0]):
                return f"{name} is wrong"

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            found = fault(
                urllib.parse.urlsplit(self.path).query, self.headers["Content-Type"],
                urllib.parse.parse_qs(body, strict_parsing=True))
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
            status, _, pause = ("400" if found else answer).partition(":")
            print(status, self.headers["Idempotency-Key"], found or "", flush=True)
            if status == "silent":
                threading.Event().wait()
            self.send_response(int(status))
            if pause:
                self.send_header("Retry-After", pause)
            self.end_headers()
            self.wfile.write((found or "no more today").encode())

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    if files:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print("ready", flush=True)
    server.serve_forever()
    """

  let port: Int
  private let child: Child

  /// - Parameters:
  ///   - answers: The status of each answer, as in `429:1,200` with `Retry-After: 1`, or `silent` for no answer. The
  ///     last one is repeated.
  ///   - files: The certificate and the private key of a server with TLS.
  init(_ answers: String, port: Int? = nil, _ files: [String] = []) async throws {
    self.port = try port ?? Mosquitto.freePort()
    child = try Child("python3", ["-B", "-c", Self.program, "\(self.port)", answers] + files)
    _ = try await child.output.first("the web server") { $0.lines.first }
  }

  deinit { child.kill(SIGKILL) }

  func stop() async throws {
    child.kill(SIGKILL)
    try await child.finish()
  }

  /// The status and the id of each request.
  var requests: [(status: String, id: String)] {
    child.output.value.lines.dropFirst().map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words[0], words[1])
    }
  }

  /// Waits until the server has answered a number of requests with a status.
  func receive(_ count: Int, _ status: String = "200") async throws {
    _ = try await eventually("\(count) requests with \(status)") {
      self.requests.count { $0.status == status } >= count ? true : nil
    }
  }

  func settings(scheme: String = "http", _ more: String = "") -> String {
    """
    gateway = "boat"
    [[http]]
    url = "\(scheme)://127.0.0.1:\(port)/"
    app = "peer"
    format = "osmand"
    \(more)

    """
  }
}

extension Daemon {
  /// Waits until the state of the first output, as owners see it, has the value.
  fileprivate func output(_ key: String, _ value: String) async throws {
    try await status("output-1-\(key)", is: value)
  }

  /// Returns the outcome of each disclosure to a web server in the log.
  fileprivate func webLog() async throws -> [String] {
    try await sqlite(
      """
      SELECT CASE d.late WHEN 1 THEN 'late ' ELSE '' END || coalesce(o.outcome, 'open') FROM disclosure_log d
      LEFT JOIN disclosure_log o ON o.disclosure = d.sequence WHERE d.transport = 'http' ORDER BY d.sequence
      """)
  }
}

/// Web servers that get one fix by each press.
@Suite struct WebServerTests {
  @Test func `each press gives a web server one fix, also after a busy answer and after a restart of the daemon`()
    async throws
  {
    let receiver = try await Receiver("429:1,200")
    let settings = receiver.settings()
    let daemon = try await Daemon.start(configuration: settings)
    try await daemon.allow("peer")
    try await daemon.output("state", "connected")
    try await daemon.press(until: ["served", "granted"])
    try await receiver.receive(1)
    try await daemon.output("waiting", "0")
    #expect(receiver.requests.first?.status == "429")
    #expect(receiver.requests.first?.id == receiver.requests.dropFirst().first?.id)
    let received = receiver.requests.filter { $0.status == "200" }.map(\.id)
    // The server is away. The fix waits over a restart of the daemon.
    try await receiver.stop()
    try await daemon.press(until: ["served", "granted"])
    try await daemon.output("fault", "unreachable")
    try await daemon.waits("1")
    #expect(try await daemon.stop().end == .exit(0))
    let back = try await Receiver("200", port: receiver.port)
    let again = try await Daemon.start(in: daemon.folder, configuration: settings)
    try await back.receive(1)
    try await again.output("waiting", "0")
    #expect(try await again.webLog().suffix(2) == ["postponed", "late acknowledged"])
    #expect(try await again.stop().end == .exit(0))
    #expect(back.requests.count == 1 && !received.contains(back.requests[0].id))
    #expect(Set(received).count == received.count)
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `a daemon that ends between a busy answer and the next attempt sends the fix once at its next start`(
    signal: Int32
  ) async throws {
    let receiver = try await Receiver("429:3600,200")
    let settings = receiver.settings()
    let daemon = try await Daemon.start(configuration: settings)
    try await daemon.allow("peer")
    try await daemon.output("state", "connected")
    try await daemon.press(until: ["served", "granted"])
    try await daemon.output("fault", "server-busy")
    try await daemon.waits("1")
    daemon.process.kill(signal)
    try await daemon.process.finish(within: .seconds(30))
    let again = try await Daemon.start(in: daemon.folder, configuration: settings)
    try await receiver.receive(1)
    try await again.output("waiting", "0")
    #expect(receiver.requests.map(\.status) == ["429", "200"] && Set(receiver.requests.map(\.id)).count == 1)
    #expect(try await again.webLog() == ["postponed", "late acknowledged"])
    try await again.stopChecked()
  }

  @Test func `a fix that the server refuses is lost, the owner sees the status, and the next fix arrives`() async throws
  {
    let receiver = try await Receiver("403")
    try await Daemon.with(configuration: receiver.settings()) { daemon in
      try await daemon.allow("peer")
      try await daemon.output("state", "connected")
      try await daemon.press(until: ["served", "granted"])
      try await daemon.output("fault", "rejected")
      let status = try await daemon.status()
      #expect(status["output-1-detail"] == "403" && status["output-1-state"] == "connected")
      let doctor = try await daemon.onefix("doctor").output
      #expect(doctor.contains { $0.contains("refused a fix") && $0.contains("403") }, "\(doctor)")
      #expect(try await daemon.webLog().first == "refused")
      let log = try await daemon.onefix("log", "--language", "en").output
      #expect(log.contains { $0.hasSuffix(" was refused, and is lost") }, "\(log)")
      let report = try await daemon.onefix("report", "--language", "en").output
      #expect(report.contains { $0.contains("1 × refused, and lost") }, "\(report)")
      try await receiver.stop()
      let back = try await Receiver("200", port: receiver.port)
      try await daemon.press(until: ["served", "granted"])
      try await back.receive(1)
      try await daemon.status("output-1-fault", is: nil)
      let ids = (receiver.requests + back.requests).map(\.id)
      #expect(Set(ids).count == ids.count)
    }
  }

  @Test func `while a web server does not answer, another app gets its fix without a delay`() async throws {
    let receiver = try await Receiver("silent")
    try await Daemon.with(configuration: receiver.settings()) { daemon in
      // With a standing authorization, a press gives a fix at once.
      try await daemon.allow("peer")
      try await daemon.output("state", "connected")
      let app = try await Peer.connected(daemon, app: "other")
      _ = try await app.reply(to: "SUB fix/once mine")
      try await daemon.press(until: ["served", "granted"])
      try await receiver.receive(1, "silent")
      _ = try await app.reply(to: "REQ once")
      try await daemon.press(until: ["served", "granted", "answered"])
      _ = try await app.next("MSG fix/once")
      // The gateway waits 20 s for an answer, and then sends the same fix again.
      #expect(Set(receiver.requests.map(\.id)).count == 1)
    }
  }

  @Test func `a server with the certificate of a configured authority gets the fix`() async throws {
    let authority = try await Authority()
    let receiver = try await Receiver("200", [authority.certificate("server"), authority.privateKey("server")])
    let settings = receiver.settings(scheme: "https", "ca = \"\(authority.certificate("authority"))\"")
    try await Daemon.with(configuration: settings) { daemon in
      try await daemon.allow("peer")
      try await daemon.output("state", "connected")
      try await daemon.press(until: ["served", "granted"])
      try await receiver.receive(1)
    }
  }

  @Test(arguments: ["untrusted", "wrong-host", "expired", "not-yet-valid"])
  func `a server with another certificate gets nothing, and the owner sees why`(cause: String) async throws {
    let authority = try await Authority()
    let name = cause == "untrusted" ? "server" : "other"
    switch cause {
    case "wrong-host": try await authority.issue(name, ["-addext", "subjectAltName=DNS:m.example.org"])
    case "expired": try await authority.issue(name, from: "20200101000000Z", until: "20200201000000Z")
    case "not-yet-valid": try await authority.issue(name, from: "20900101000000Z", until: "20910101000000Z")
    default: break
    }
    let receiver = try await Receiver("200", [authority.certificate(name), authority.privateKey(name)])
    let ca = cause == "untrusted" ? "" : "ca = \"\(authority.certificate("authority"))\""
    try await Daemon.with(configuration: receiver.settings(scheme: "https", ca)) { daemon in
      try await daemon.output("fault", "certificate-\(cause)")
      #expect(receiver.requests.isEmpty)
    }
  }
}
