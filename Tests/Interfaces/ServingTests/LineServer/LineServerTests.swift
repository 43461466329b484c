import Glibc
import LineProtocol
import Logging
import NIOCore
import NIOPosix
import OperatingSystem
import Ports
import TemporaryFiles
import Testing

@testable import Serving

/// The beginning and the end of a server.
@Suite struct LineServerTests {
  private func open(_ listener: Listener, _ admission: AdmissionControl = AdmissionControl()) async throws -> LineServer
  {
    try await LineServer(
      listener, for: RefusingService(refusals: 0), limit: 2, admission: admission,
      group: .singletonMultiThreadedEventLoopGroup, logger: Logger(label: "test"))
  }

  private let rules = Reloadable(IdentityRules(apps: []))

  /// Makes the channel of a client that can close only its sending direction.
  private static let wrap: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = {
    channel in
    channel.eventLoop.makeCompletedFuture {
      try NIOAsyncChannel(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }

  @Test func `a server that is given up leaves its path and its address to another server`() async throws {
    let folder = try TemporaryDirectory()
    for _ in 0..<2 {
      let server = try await open(.apps(path: folder.path("socket"), rules))
      #expect(server.address == folder.path("socket") && folder.names == ["socket"])
      await server.abandon()
      #expect(folder.names == [])
    }
    // The kernel gives a port below 32,768 to no other program that asks for any port.
    let address = try SocketAddress(ipAddress: "127.91.7.3", port: 20_000 + Int(getpid() % 10_000))
    for _ in 0..<2 { await (try await open(.tcp(address))).abandon() }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a server stops after it refused a connection because eight others wait for replies`() async throws {
    let folder = try TemporaryDirectory()
    let admission = AdmissionControl()
    let origin = Peer.Origin.uid(geteuid())
    for _ in 0..<PendingConnections.most {
      let number = IDGenerator.connections.next()
      admission.add(number, from: origin, at: SystemClock.monotonic) {}
      _ = admission.noteFailure(of: number, from: origin, at: SystemClock.monotonic)
    }
    let server = try await open(.apps(path: folder.path("socket"), rules), admission)
    async let run: Void = server.run { LineError(.shuttingDown, "the gateway stops") }
    let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(unixDomainSocketPath: folder.path("socket")).get()
    try await client.closeFuture.get()
    server.stop()
    try await run
    #expect(folder.names == [])
  }

  /// The gateway waits 1 ms after each refused line, so that a client cannot occupy the processor.
  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `each line has a reply, also after the client closed its sending direction, and too many lines take their time`(
    isSocket: Bool
  ) async throws {
    let folder = try TemporaryDirectory()
    let address = try SocketAddress(ipAddress: "127.91.7.6", port: 20_000 + Int(getpid() % 10_000))
    let server = try await open(isSocket ? .apps(path: folder.path("socket"), rules) : .tcp(address))
    async let run: Void = server.run { LineError(.shuttingDown, "the gateway stops") }
    let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelOption(.allowRemoteHalfClosure, value: true)
    let client =
      isSocket
      ? try await bootstrap.connect(unixDomainSocketPath: folder.path("socket"), channelInitializer: Self.wrap)
      : try await bootstrap.connect(to: address, channelInitializer: Self.wrap)
    let (lines, permitted) = (300, 50)
    let start = SystemClock.monotonic
    let replies = try await client.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: String(repeating: "PING\n", count: lines)))
      outbound.finish()
      var text = ""
      for try await part in inbound { text += String(buffer: part) }
      return text.split(separator: "\n")
    }
    #expect(SystemClock.monotonic - start >= .milliseconds(lines - permitted - 20))
    #expect(replies.count { $0.hasPrefix("PONG") || $0.contains("rate-limited") } == lines, "\(replies.suffix(3))")
    server.stop()
    try await run
  }

  @Test(.timeLimit(.minutes(1)))
  func `a connection ends when its client closes the sending direction after the latest reply`() async throws {
    let folder = try TemporaryDirectory()
    let server = try await open(.apps(path: folder.path("socket"), rules))
    async let run: Void = server.run { LineError(.shuttingDown, "the gateway stops") }
    let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .connect(unixDomainSocketPath: folder.path("socket"), channelInitializer: Self.wrap)
    let text = try await client.executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: "PING\n"))
      var text = ""
      for try await part in inbound {
        text += String(buffer: part)
        if text.contains("PONG") { outbound.finish() }
      }
      return text
    }
    #expect(text.hasSuffix("PONG\n"))
    server.stop()
    try await run
  }

  @Test func `the error of a socket names the setting of its path`() async throws {
    let path = "/tmp/" + String(repeating: "s", count: 200)
    for (listener, setting) in [
      (Listener.app(path: path, rules), "in [[listen]]"),
      (.apps(path: path, rules), "with --socket, in another folder"),
    ] {
      let error = await #expect(throws: ListenError.self) { try await open(listener) }
      #expect(error?.remedy == "choose a shorter path \(setting)")
    }
  }
}
