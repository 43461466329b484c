import Base
import Glibc
import LineProtocol
import NIOCore
import Ports
import Serving
import Synchronization
import Testing

private let taken = ListenError(address: "127.0.0.1:1", .taken, cause: "address already in use", remedy: "stop it")
private let broken = ListenError(address: "127.0.0.1:1", .certificate, cause: "no certificate", remedy: "correct it")
private let stopping = LineError(.shuttingDown, "the gateway stops")

/// A server that runs until a test or the listener ends it.
private final class FakeServer: ListeningServer {
  let kind = "fake"
  private let ownAddress: String
  private let ends: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation
  private let failure = Mutex<ListenError?>(nil)
  /// The error that the server throws at its end.
  private let cause = Mutex<ListenError?>(nil)
  /// The actions of the listener, and the farewell to the clients.
  private let record = Mutex<[String]>([])

  var actions: [String] { record.withLock { $0 } }

  /// The address; empty after the server was closed, as the address of a closed socket.
  var address: String { actions.contains("abandon") ? "" : ownAddress }

  /// Whether the server runs until `fail` is called, as a server whose clients have not disconnected yet.
  private let waitsForClients: Bool

  init(_ address: String = "127.0.0.1:1", waitsForClients: Bool = false) {
    (ownAddress, self.waitsForClients) = (address, waitsForClients)
    (ends, end) = AsyncStream.makeStream()
  }

  func abandon() async { record.withLock { $0.append("abandon") } }

  func stop() {
    record.withLock { $0.append("stop") }
    if !waitsForClients { end.finish() }
  }

  /// Makes the next `reload` throw an error.
  func breakFiles() { failure.withLock { $0 = broken } }

  /// Ends the server as the system does, or with an error.
  func fail(_ error: ListenError? = nil) {
    cause.withLock { $0 = error }
    end.finish()
  }

  func reload() throws(ListenError) { if let error = failure.withLock({ $0 }) { throw error } }

  func run(farewell: @escaping @Sendable () -> LineError) async throws {
    record.withLock { $0.append("run") }
    for await _ in ends {}
    record.withLock { $0.append(farewell().text) }
    if let error = cause.withLock({ $0 }) { throw error }
  }
}

/// A listener whose attempts, pauses and clock a test controls.
private final class Scene: Sendable {
  private final class State: Sendable {
    let pauses = Mutex<[Duration]>([])
    let attempts = Mutex(0)
    let now = Mutex(Duration.zero)
  }

  let listener: OptionalListener
  private let reports: AsyncStream<ListenError?>
  /// Yields at the beginning of each pause.
  let pausing: AsyncStream<Void>
  private let state = State()

  var pauses: [Duration] { state.pauses.withLock { $0 } }

  /// - Parameters:
  ///   - endsPauses: Whether each pause ends at once. Otherwise only a cancellation ends it.
  ///   - open: Opens the servers for the attempt with a number, from 0.
  init(endsPauses: Bool = true, _ open: @escaping @Sendable (Int) throws -> [any ListeningServer]) {
    let (reports, report) = AsyncStream.makeStream(of: ListenError?.self)
    let (pausing, pause) = AsyncStream.makeStream(of: Void.self)
    (self.reports, self.pausing) = (reports, pausing)
    listener = OptionalListener(
      "fake:1",
      open: { [state] in
        try open(
          state.attempts.withLock { count in
            defer { count += 1 }
            return count
          })
      },
      report: { report.yield($0) },
      clock: { [state] in MonotonicInstant(nanoseconds: 0) + state.now.withLock { $0 } },
      sleep: { [state] duration in
        state.pauses.withLock { $0.append(duration) }
        pause.yield()
        if endsPauses { return }
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        // The stream ends when the task is cancelled.
        for await _ in never {}
        continuation.finish()
      })
  }

  /// Returns the next report of the listener; nil in place of an error for an open listener.
  func nextReport() async -> ListenError? {
    for await report in reports { return report }
    return nil
  }

  func pass(_ time: Duration) { state.now.withLock { $0 += time } }

  /// Makes the first attempt, serves until the body ends, and then stops.
  func run(_ body: () async throws -> Void) async throws {
    await listener.attempt()
    let running = Task { await listener.run(shuttingDown: stopping) }
    try await body()
    listener.stop()
    await running.value
  }
}

@Suite struct OptionalListenerTests {
  @Test func `a listener that cannot be opened is tried again after growing pauses, until it is open`() async throws {
    let server = FakeServer()
    let scene = Scene { attempt in
      if attempt < 9 { throw taken }
      return [server]
    }
    try await scene.run {
      for _ in 0..<9 { #expect(await scene.nextReport() == taken) }
      #expect(scene.listener.servers.isEmpty || scene.pauses.count == 9, "a closed listener has no server")
      #expect(await scene.nextReport() == nil)
    }
    #expect(scene.pauses.map(\.components.seconds) == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    #expect(server.actions.contains("the gateway stops"))
  }

  @Test(arguments: [false, true])
  func `a stop or a cancellation ends a pause at once`(isCancelled: Bool) async throws {
    let scene = Scene(endsPauses: false) { _ in throw taken }
    let running = Task { await scene.listener.run(shuttingDown: stopping) }
    for await _ in scene.pausing { break }
    if isCancelled { running.cancel() } else { scene.listener.stop() }
    await running.value
    #expect(scene.pauses.count == 1)
  }

  @Test func `a reload tries to open a closed listener without a pause`() async throws {
    let scene = Scene(endsPauses: false) { attempt in
      if attempt < 2 { throw taken }
      return [FakeServer()]
    }
    try await scene.run {
      #expect(await scene.nextReport() == taken)
      for _ in 0..<2 {
        for await _ in scene.pausing { break }
        #expect(scene.listener.servers.isEmpty, "an attempt that failed is followed by a pause")
        scene.listener.reload()
        _ = await scene.nextReport()
      }
      #expect(!scene.listener.servers.isEmpty)
    }
    #expect(scene.pauses.map(\.components.seconds) == [1, 2])
  }

  @Test
  func `a listener that fails while it is open is opened again, a lasting one after a short pause`() async throws {
    let servers = (0..<4).map { _ in FakeServer() }
    let scene = Scene { [servers[$0]] }
    try await scene.run {
      #expect(await scene.nextReport() == nil)
      for server in servers.dropLast() {
        // The listener counts as lasting after 60 s.
        if server === servers[1] { scene.pass(.seconds(60) - .nanoseconds(1)) }
        if server === servers[2] { scene.pass(.seconds(60)) }
        server.fail()
        let fault = await scene.nextReport()
        #expect(fault?.description.hasPrefix("cannot listen on 127.0.0.1:1: the system closed the listener") == true)
        #expect(await scene.nextReport() == nil)
        #expect(server.actions.contains("the gateway closed this listener, and opens it again"))
      }
    }
    #expect(scene.pauses.map(\.components.seconds) == [1, 2, 1])
  }

  @Test func `if one address of a listener fails, the report has the cause, and the other closes`() async throws {
    let (first, second) = (FakeServer(), FakeServer("[::1]:1"))
    let scene = Scene(endsPauses: false) { _ in [first, second] }
    try await scene.run {
      #expect(await scene.nextReport() == nil)
      second.fail(taken)
      #expect(await scene.nextReport() == taken)
      #expect(first.actions.contains("stop") && scene.listener.servers.isEmpty)
    }
  }

  @Test func `a reload closes an open listener whose files cannot be used, and opens it when they can`() async throws {
    let servers = (0..<2).map { _ in FakeServer() }
    let scene = Scene(endsPauses: false) { [servers[$0]] }
    try await scene.run {
      #expect(await scene.nextReport() == nil)
      scene.listener.reload()
      #expect(!servers[0].actions.contains("stop"))
      servers[0].breakFiles()
      scene.listener.reload()
      #expect(await scene.nextReport() == broken)
      #expect(servers[0].actions.contains("stop") && scene.listener.servers.isEmpty)
      scene.listener.reload()
      #expect(await scene.nextReport() == nil)
    }
  }

  /// For example, a program replaces two files, and reloads after each of them.
  @Test func `a reload while the listener closes opens it without a pause`() async throws {
    let (first, second) = (FakeServer(waitsForClients: true), FakeServer())
    let scene = Scene(endsPauses: false) { [[first], [second]][$0] }
    try await scene.run {
      #expect(await scene.nextReport() == nil)
      first.breakFiles()
      scene.listener.reload()
      scene.listener.reload()
      first.fail()
      #expect(await scene.nextReport() == broken)
      #expect(await scene.nextReport() == nil)
    }
  }

  @Test func `a listener that is stopped before it runs still ends its servers`() async {
    let server = FakeServer()
    let scene = Scene { _ in [server] }
    await scene.listener.attempt()
    scene.listener.stop()
    await scene.listener.run(shuttingDown: stopping)
    #expect(server.actions.contains("run") && server.actions.contains("the gateway stops"))
    let late = FakeServer()
    let other = Scene { _ in [late] }
    other.listener.stop()
    await other.listener.attempt()
    #expect(late.actions == ["abandon"] && other.listener.servers.isEmpty)
  }

  // MARK: Addresses

  private func absent(_ address: SocketAddress) -> ListenError {
    ListenError(address: address.hostAndPort, IOError(errnoCode: EADDRNOTAVAIL, reason: "bind"), remedy: "none")
  }

  private func open(
    port: Int = 7, _ fault: @escaping (SocketAddress) -> ListenError? = { _ in nil }
  ) async throws -> (opened: [FakeServer], error: ListenError?) {
    var opened: [FakeServer] = []
    do {
      _ = try await openServers(on: ["127.0.0.1", "::1"], port: port) { host, port in
        let address = try SocketAddress(ipAddress: host, port: port)
        if let error = fault(address) { throw error }
        let server = FakeServer(address.port == 0 ? "127.0.0.1:4711" : address.hostAndPort)
        opened.append(server)
        return server
      }
      return (opened, nil)
    } catch let error as ListenError {
      return (opened, error)
    }
  }

  @Test func `both loopback addresses have the same port, also if the system chooses it`() async throws {
    #expect(try await open().opened.map(\.address) == ["127.0.0.1:7", "[::1]:7"])
    #expect(try await open(port: 0).opened.map(\.address) == ["127.0.0.1:4711", "[::1]:4711"])
  }

  @Test func `an address that the machine does not have is left out, unless it has none of them`() async throws {
    let (opened, error) = try await open { $0.protocol == .inet6 ? absent($0) : nil }
    #expect(opened.map(\.address) == ["127.0.0.1:7"] && error == nil)
    #expect(try await open { absent($0) }.error?.address == "127.0.0.1:7")
  }

  @Test func `if another program has one address, the other is closed, and the error says so`() async throws {
    let (opened, error) = try await open { address in
      address.protocol == .inet6 ? ListenError(address: "[::1]:7", .taken, cause: "taken", remedy: "stop it") : nil
    }
    #expect(opened.map(\.actions) == [["abandon"]])
    #expect(error?.description == "cannot listen on [::1]:7: taken, so 127.0.0.1:7 stays closed too (stop it)")
  }

  @Test(arguments: [
    ("127.0.0.1:2947", EADDRINUSE, ListenError.Fault.taken, "address already in use (is gpsd running?)"),
    ("[::1]:2947", EADDRNOTAVAIL, .noAddress, "IPv6 is switched off on this machine"),
    ("[::1]:2947", EAFNOSUPPORT, .noAddress, "the kernel has no IPv6"),
    ("192.0.2.1:2947", EADDRNOTAVAIL, .noAddress, "this machine does not have the address"),
    ("127.0.0.1:80", EACCES, .denied, "permission denied (use a port above 1023"),
    ("/run/x/s", EACCES, .denied, "permission denied (is gpsd running?)"), ("/run/x/s", EIO, .failed, "input/output"),
  ])
  func `an error names its own cause and remedy`(address: String, number: Int32, fault: ListenError.Fault, text: String)
  {
    let error = ListenError(
      address: address, IOError(errnoCode: number, reason: "bind"), remedy: "is gpsd running?")
    #expect(error.fault == fault && error.description.hasPrefix("cannot listen on \(address): \(text)"))
    #expect(error.description.contains("gpsd") == text.contains("gpsd") || fault == .failed)
  }
}
