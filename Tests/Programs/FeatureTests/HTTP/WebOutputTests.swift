import Base
import Foundation
import LineProtocol
@testable import Features
import NIOCore
import NIOEmbedded
import NIOPosix
import Ports
import Requirements
import Synchronization
import TemporaryFiles
import Testing

/// The client of a web server, against servers that behave well, badly and hostilely.
@Suite(.patient) struct WebOutputTests {
  private func output(
    _ port: Int, format: WebFormat = .json, _ credentials: WebCredentials? = nil, limits: WebLimits = WebLimits(),
    scheme: String = "http", ca: String? = nil
  ) throws -> WebOutput {
    let address = try #require(WebAddress("\(scheme)://127.0.0.1:\(port)/pub?key=1"))
    return WebOutput(
      address: address, format: format, topics: WebFormatTests.topics,
      credentials: credentials, client: WebClient(server: address.server, ca: ca, limits: limits))
  }

  /// Delivers a fix, and returns whether it was sent.
  @discardableResult
  private func deliver(to output: WebOutput, isIndicated: Bool = true) async throws(OutputError) -> Bool {
    try await deliver(to: output, while: { isIndicated })
  }

  private func deliver(
    _ id: String = "id-1", to output: WebOutput, while isIndicated: @escaping @Sendable () -> Bool
  ) async throws(OutputError) -> Bool {
    let messages = [
      Publication.Message(topic: "id", payload: Array(id.utf8)), .init(topic: "body", payload: Array("{}".utf8)),
    ]
    return try await output.deliver(
      Publication(number: 1, messages: messages, life: .seconds(1)), while: isIndicated)
  }

  /// Delivers a fix whose indication ends after its first request, and returns whether the fix arrived.
  private func deliverOnce(to output: WebOutput) async throws(OutputError) -> Bool {
    let isIndicated = Mutex(true)
    return try await deliver(to: output, while: { isIndicated.withLock { exchange(&$0, with: false) } })
  }

  /// Delivers a fix, and returns the error.
  private func error(from output: WebOutput) async -> OutputError? {
    do throws(OutputError) { try await deliver(to: output) } catch { return error }
    return nil
  }

  /// Delivers a fix to a server that answers with a script, and returns the error.
  private func error(_ script: ScriptedServer.Script, limits: WebLimits = WebLimits()) async throws -> OutputError? {
    let server = try await ScriptedServer(script)
    return await error(from: try output(server.port, limits: limits))
  }

  private static func answer(_ status: String, _ fields: String = "", body: String = "") -> ScriptedServer.Script {
    .answer("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
  }

  @Test func `a request has the id of the fix, the secret and the body, and ends the connection`() async throws {
    let server = try await ScriptedServer(Self.answer("200 OK", body: "[]"))
    let folder = try TemporaryDirectory()
    try folder.write("open sesame\n", to: "password")
    let file = folder.path("password")
    try await deliver(to: output(server.port, format: .owntracks, .password(user: "boat", file: file)))
    #expect(
      server.requests == [
        """
        POST /pub?key=1 HTTP/1.1\r
        Host: 127.0.0.1:\(server.port)\r
        User-Agent: onefix\r
        Connection: close\r
        Content-Type: application/json\r
        Content-Length: 2\r
        Idempotency-Key: "id-1"\r
        Authorization: Basic Ym9hdDpvcGVuIHNlc2FtZQ==\r
        X-Limit-U: boat-7\r
        X-Limit-D: family\r
        \r
        {}
        """
      ])
  }

  @Test(arguments: [
    ("408 Request Timeout", "", nil), ("429 Too Many Requests", "Retry-After: 120\r\n", Duration.seconds(120)),
    ("503 Service Unavailable", "Retry-After: 999999999\r\n", .seconds(3600)), ("500 Oops", "Retry-After: x\r\n", nil),
  ])
  func `a busy server gets the fix again, not before the time that it chose`(
    status: String, fields: String, pause: Duration?
  ) async throws {
    let error = try #require(try await error(Self.answer(status, fields, body: "later\nmore")))
    #expect(error.fault == .busy && !error.fault.isFinal)
    #expect(error.retryAfter == pause)
    #expect(error.detail == String(status.prefix(3)))
  }

  @Test(arguments: [
    ("400 Bad Request", "", OutputFault.rejected), ("401 Unauthorized", "", .rejected),
    ("404 Not Found", "", .rejected),
    ("301 Moved", "Location: /other\r\n", .redirected), ("302 Found", "Location: /other\r\n", .redirected),
    ("307 Temporary Redirect", "Location: http://127.0.0.2/\r\n", .redirected), ("308 Permanent", "", .redirected),
    ("304 Not Modified", "", .redirected),
  ])
  func `a refusal and a redirect to another server are final`(
    status: String, fields: String, fault: OutputFault
  ) async throws {
    let server = try await ScriptedServer(Self.answer(status, fields), Self.answer("200 OK"))
    #expect(try await error(from: output(server.port))?.fault == fault && fault.isFinal)
    #expect(server.requests.count == 1)
  }

  private static let moved = answer("307 Temporary Redirect", "Location: /new\r\n")

  @Test func `without its indication a redirect sends nothing, and the next attempt begins at the new path`()
    async throws
  {
    let permanent = Self.answer("308 Permanent Redirect", "Location: /new\r\n")
    let server = try await ScriptedServer(permanent, Self.answer("200 OK"), Self.moved, Self.answer("200 OK"))
    let output = try output(server.port)
    let hasArrived = try await deliverOnce(to: output)
    #expect(!hasArrived && server.requests.count == 1)
    // The indication can also end while the next attempt connects.
    let isSent = try await deliver(to: output, isIndicated: false)
    #expect(!isSent && server.requests.count == 1)
    let isDelivered = try await deliver(to: output)
    #expect(isDelivered && server.connections == 2)
    #expect(server.requests.map { $0.prefix(15) } == ["POST /pub?key=1", "POST /new HTTP/"])
    #expect(server.requests.allSatisfy { $0.hasSuffix("\r\n\r\n{}") })
    // The next fix begins at the configured path.
    let isAsked = try await deliverOnce(to: output)
    let isNextDelivered = try await deliver("id-2", to: output, while: { true })
    #expect(!isAsked && isNextDelivered)
    #expect(server.requests.suffix(2).map { $0.prefix(15) } == ["POST /pub?key=1", "POST /pub?key=1"])
  }

  @Test(arguments: [0, 3])
  func `an endless redirect ends, even if each attempt follows only one redirect`(attempts: Int) async throws {
    let server = try await ScriptedServer(Self.moved, Self.moved, Self.moved, Self.moved, Self.moved, Self.moved)
    let output = try output(server.port)
    for _ in 0..<attempts {
      let hasArrived = try await deliverOnce(to: output)
      #expect(!hasArrived)
    }
    #expect(await error(from: output)?.fault == .redirected && server.requests.count == 4)
  }

  @Test(arguments: ["403 47.3769", "422 Lat 47.3769", "500 47.3769", "307 47.3769"])
  func `the error has only the status of a server that repeats the position and the secret`(status: String) async throws
  {
    let body = #"{"error":"bad token s3cr3t","got":{"lat":47.3769844946,"lon":8.54179496}}"#
    #expect(try await error(Self.answer(status, body: body))?.detail == String(status.prefix(3)))
  }

  @Test func `an endless header and an endless body of a success are a success, and end after 80 KB`() async throws {
    let field = "X-Field: " + String(repeating: "x", count: 4000) + "\r\n"
    let header = try await ScriptedServer(.endless("HTTP/1.1 200 OK\r\n", part: field))
    try await deliver(to: output(header.port))
    let part = "4000\r\n" + String(repeating: "y", count: 0x4000) + "\r\n"
    let body = try await ScriptedServer(.endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", part: part))
    try await deliver(to: output(body.port))
    // The kernel's buffers hold the bytes that the client never reads.
    #expect(header.sent < 10_000_000 && body.sent < 10_000_000)
  }

  /// Receivers of OwnTracks answer with an array of messages for the device, often an empty one. Some servers report an
  /// error in the body of a success.
  @Test(arguments: [
    " OK\nContent-Length: 0\n\n", " OK\r\nContent-Length: 24\r\n\r\n{\"error\":\"unknown user\"}", "\r\n\r\n",
    " \u{FC}\u{1}\r\n\r\n", " OK\r\nX: y",
    " OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    " OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    " OK\r\nContent-Length: x\r\n\r\n{}", " OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}",
    " OK\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n", " OK\r\nno field\r\n folded\r\nX\u{1} : \u{2}\r\n\r\n",
    " OK\r\nX: " + String(repeating: "x", count: 17_000) + "\r\n\r\n",
  ])
  func `a whole status line decides, whatever follows it`(rest: String) async throws {
    for status in [200, 204, 299] { #expect(try await error(.answer("HTTP/1.1 \(status)\(rest)")) == nil) }
    #expect(try await error(.answer("HTTP/1.0 503\(rest)"))?.fault == .busy)
    #expect(try await error(.answer("HTTP/1.1 404\(rest)"))?.fault == .rejected)
  }

  /// Returns the answer of a server whose bytes arrive in these parts.
  private func answer(_ parts: Substring..., isRequestSent: Bool = true) throws -> WebAnswer {
    let channel = EmbeddedChannel()
    let (opened, answered) = (
      channel.eventLoop.makePromise(of: Void.self), channel.eventLoop.makePromise(of: WebAnswer.self)
    )
    try WebExchange(isEncrypted: false, WebLimits(), opened, answered).add(to: channel.pipeline.syncOperations)
    channel.pipeline.fireChannelActive()
    if isRequestSent {
      channel.triggerUserOutboundEvent(WebRequest(target: "/", fields: [], body: []), promise: nil)
    }
    for part in parts { channel.pipeline.fireChannelRead(ByteBuffer(substring: part)) }
    channel.pipeline.fireChannelInactive()
    return try answered.futureResult.wait()
  }

  @Test func `an answer in any two parts is read in the same way`() throws {
    let text =
      "HTTP/1.1 100 Continue\r\nLocation: /\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 5\r\n\r\nlater"
    for cut in text.utf8.indices {
      let answer = try answer(text[..<cut], text[cut...])
      #expect(answer == WebAnswer(status: 503, retryAfter: "120"))
    }
  }

  @Test func `an answer before the request does not settle the fix`() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    #expect(throws: (any Error).self) { try answer(text[...], isRequestSent: false) }
  }

  @Test func `a body that stops in the middle does not change the status`() async throws {
    // On a busy machine, the header can take longer than the short time.
    var limits = WebLimits()
    limits.answer = .seconds(3)
    #expect(try await error(.stall("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab"), limits: limits) == nil)
  }

  @Test(
    arguments: [
      (.answer("SSH-2.0-OpenSSH_9.2p1\r\n"), "http", .noHTTP),
      (.answer("220"), "http", .noHTTP), (.answer("HTTP/1.1 2x0 OK\r\n"), "http", .noHTTP),
      (.answer("HTTP/2 200 OK\r\n"), "http", .noHTTP), (.answer(""), "http", .ended),
      (.answer("HTTP/1.1 2"), "http", .ended), (.answer("HTTP/1.1 307 Moved\r\nDate: x\r\nLoca"), "http", .ended),
      (.endless("HTTP/1.1 200 ", part: String(repeating: "x", count: 4000)), "http", .noHTTP),
      (.stall(""), "http", .silent), (.stall("HTTP/1.1 20"), "http", .silent),
      (.stall("HTTP/1.1 200 OK\r"), "http", .silent),
      (.answer("HTTP/1.1 400 Bad Request\r\n\r\n"), "https", .noTLS), (.answer(""), "https", .ended),
    ] as [(ScriptedServer.Script, String, OutputFault)])
  func `a port of another protocol, and a server that ends its answer too early or never, are named as such`(
    script: ScriptedServer.Script, scheme: String, fault: OutputFault
  ) async throws {
    let server = try await ScriptedServer(script)
    var limits = WebLimits()
    if fault == .silent { limits.answer = .milliseconds(50) }
    let output = try output(server.port, limits: limits, scheme: scheme)
    #expect(await error(from: output)?.fault == fault)
    try await server.close()
    #expect(await error(from: output)?.fault == .unreachable)
  }

  @Test
  func `a test of the server sends nothing, and a fix that waits for its indication leaves on the same connection`()
    async throws
  {
    let server = try await ScriptedServer(Self.answer("200 OK"), Self.answer("200 OK"))
    let output = try output(server.port)
    try await output.test()
    for _ in 0..<3 { #expect(try await !deliver(to: output, isIndicated: false)) }
    #expect(server.requests == [])
    #expect(try await deliver(to: output))
    #expect(server.requests.count == 1 && server.connections == 2)
    // Each request has a connection of its own.
    #expect(try await deliver(to: output))
    #expect(server.requests.count == 2 && server.connections == 3)
  }

  @Test func `a connection that the server ended before its fix came is replaced at the next attempt`() async throws {
    let server = try await ScriptedServer(Self.answer("200 OK"))
    let output = try output(server.port)
    #expect(try await !deliver(to: output, isIndicated: false))
    try await server.endFirstConnection()
    // The end can arrive before the request or after it.
    if let error = await error(from: output) {
      #expect(error.fault == .ended && !error.fault.isFinal)
      try await deliver(to: output)
    }
    #expect(server.requests.count == 1 && server.connections == 2)
  }

  @Test func `a delivery that is cancelled before the connection sends nothing`() async throws {
    let server = try await ScriptedServer(.answer("HTTP/1.1 204 No Content\r\n\r\n"), .stall(""))
    let output = try output(server.port)
    let cancelled = Task {
      while !Task.isCancelled { await Task.yield() }
      try await deliver(to: output)
    }
    cancelled.cancel()
    await #expect(throws: OutputError.self) { try await cancelled.value }
    try await deliver(to: output)
    #expect(server.requests.count == 1)
    // A delivery without an answer ends when its task is cancelled.
    let delivery = Task { try await deliver(to: output) }
    delivery.cancel()
    await #expect(throws: OutputError.self) { try await delivery.value }
  }

  @Test func `a secret and an authority that cannot be used are named with the cause, and nothing is sent`()
    async throws
  {
    let server = try await ScriptedServer()
    let folder = try TemporaryDirectory()
    try folder.write("to\u{1}ken\n", to: "token")
    for (name, cause) in [("absent", "no such file or directory"), ("token", "the token has a control character")] {
      let output = try output(server.port, .bearer(file: folder.path(name)))
      let found = await #expect(throws: OutputError.self) { try await output.test() }
      for error in [found, await error(from: output)] {
        #expect(error?.fault == .file && error?.object == folder.path(name) && error?.detail == cause)
      }
    }
    #expect(server.requests == [])
    let causes = [("absent", "no such file or directory"), ("token", "it has no certificate in PEM format")]
    for (name, cause) in causes {
      let error = await error(from: try output(1, scheme: "https", ca: folder.path(name)))
      #expect(error?.fault == .file && error?.detail == "\(folder.path(name)): \(cause)")
    }
  }
}
