import Base
import Glibc
import LineProtocol
import NIOCore
import NIOEmbedded
import NIOPosix
import OneFixClient
import OperatingSystem
import Ports
import RecordingClients
import Requirements
import Testing

@testable import Features

/// A socket on which the server can close its half of the connection.
private final class Socket: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = Never

  /// One element for each close of the server's half.
  let halfCloses: AsyncStream<Void>
  private let noted: AsyncStream<Void>.Continuation

  init() { (halfCloses, noted) = AsyncStream<Void>.makeStream() }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard mode == .output else { return context.close(mode: mode, promise: promise) }
    promise?.succeed()
    noted.yield()
  }
}

/// Opens the servers of a page whose gateway does not run.
private func open(
  on hosts: [String] = ["127.0.0.1"], port: Int = 0, _ authenticator: PageAuthenticator = PageAuthenticator(),
  _ log: RecordingLog = RecordingLog()
) async throws -> [PageServer] {
  let service = PageService(gateway: .unix("/nonexistent"), language: .english, logger: log.logger) {
    AsyncStream { $0.finish() }
  }
  return try await PageServer.open(
    on: hosts, port: port, authenticator, service, group: .singleton, logger: log.logger)
}

/// A connection of the page, whose time passes only when a test lets it pass.
private struct Bench {
  let log: RecordingLog
  let server: PageServer
  let socket: Socket
  let channel: NIOAsyncTestingChannel
  let requests: PageServer.Requests

  init(_ authenticator: PageAuthenticator = PageAuthenticator()) async throws {
    let (log, socket) = (RecordingLog(), Socket())
    server = try await open(authenticator, log)[0]
    let channel = await NIOAsyncTestingChannel(handler: socket)
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8021))
    requests = try await channel.testingEventLoop.executeInContext {
      try PageServer.Requests(wrappingChannelSynchronously: channel)
    }
    (self.log, self.socket, self.channel) = (log, socket, channel)
  }

  /// Starts to serve the connection, sends a request, and returns when the server has closed its half.
  func answer() async throws -> Task<Void, Never> {
    let end = Task { await server.serve(requests) }
    try await channel.writeInbound(ReceivedRequest.refused(.notFound))
    _ = await socket.halfCloses.first { _ in true }
    return end
  }

  /// Ends the connection and the server. Timers that the connection has left set its clock forward.
  func finish() async throws {
    _ = try await channel.finish(acceptAlreadyClosed: true)
    await server.abandon()
  }
}

/// Lets the next wrong token wait for 8 s.
private func delayTokens(_ authenticator: PageAuthenticator) {
  for _ in 0..<4 { _ = authenticator.recordFailure(at: SystemClock.monotonic) }
}

private typealias TCPClient = NIOAsyncChannel<ByteBuffer, ByteBuffer>

private func connect(_ port: Int) async throws -> TCPClient {
  try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(host: "127.0.0.1", port: port) {
    channel in
    channel.eventLoop.makeCompletedFuture { try TCPClient(wrappingChannelSynchronously: channel) }
  }
}

/// Returns the text that a client receives until the server closes the connection.
private func text(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async -> String {
  var text = ""
  // The server may reset a connection instead of closing it.
  do { for try await bytes in inbound { text += String(buffer: bytes) } } catch {}
  return text
}

private func tcpPort(of server: PageServer) throws -> Int {
  try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
}

@Suite(.patient) struct PageServerTests {
  @Test func `a browser that does not close its connection is disconnected 2 s after the response`() async throws {
    let bench = try await Bench()
    let end = try await bench.answer()
    let loop = bench.channel.testingEventLoop
    // A server that does not wait for the browser can continue during the many steps.
    for _ in 0..<1999 { await loop.advanceTime(by: .milliseconds(1)) }
    #expect(bench.channel.isActive)
    await loop.advanceTime(by: .milliseconds(1))
    #expect(!bench.channel.isActive)
    try await bench.finish()
    await end.value
  }

  @Test func `a connection ends when its browser closes it after the response, and leaves no timer`() async throws {
    let bench = try await Bench()
    let end = try await bench.answer()
    try await bench.channel.close()
    await end.value
    try await bench.finish()
    #expect(bench.channel.testingEventLoop.now == .uptimeNanoseconds(0))
  }

  @Test func `a browser that closes its connection before the response cancels its request`() async throws {
    let authenticator = PageAuthenticator()
    delayTokens(authenticator)
    let bench = try await Bench(authenticator)
    let host = bench.server.address
    let headers = [(name: "Host", value: host), (name: "Origin", value: "http://\(host)")]
    let request = PageRequest(method: "POST", target: "/present", headers: headers)
    try await bench.channel.writeInbound(ReceivedRequest.asked(request, body: ""))
    try await bench.channel.close()
    await bench.server.serve(bench.requests)
    #expect(bench.log.all.contains { $0.hasPrefix("page connection ended") && $0.contains("CancellationError") })
    try await bench.finish()
  }

  @Test func `an error of a connection is logged, and closes the connection`() async throws {
    let bench = try await Bench()
    bench.channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
    await bench.server.serve(bench.requests)
    #expect(!bench.channel.isActive)
    #expect(bench.log.all.contains { $0.hasPrefix("connection failed") && $0.contains("cause") })
    await bench.server.abandon()
  }

  @Test func `a server refuses 65 header fields, and when it stops, it closes its connections and ends all links`()
    async throws
  {
    let authenticator = PageAuthenticator()
    delayTokens(authenticator)
    let server = try await open(authenticator)[0]
    let host = server.address
    let port = try tcpPort(of: server)
    let end = Task { try await server.run { LineError(.tooMany, "no") } }
    let received = try await connect(port).executeThenClose { inbound, outbound in
      let guess = "POST /present HTTP/1.1\r\nHost: \(host)\r\nOrigin: http://\(host)\r\nContent-Length: 0\r\n\r\n"
      try await outbound.write(ByteBuffer(string: guess))
      // The server accepts connections in their order, so a response shows that the first connection is served. The
      // field Host is one of the header fields.
      for (count, status) in [(64, "200"), (65, "431")] {
        let fields = (1..<count).map { "X-\($0): 1\r\n" }.joined()
        let answer = try await connect(port).executeThenClose { inbound, outbound in
          try await outbound.write(ByteBuffer(string: "GET /page.css HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n"))
          return await text(inbound)
        }
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
      }
      let hasLinks = authenticator.makeLink(at: SystemClock.reading.boot) != nil
      #expect(hasLinks)
      server.stop()
      return await text(inbound)
    }
    #expect(received.isEmpty)
    try await end.value
    let hasLinks = authenticator.makeLink(at: SystemClock.reading.boot) != nil
    #expect(!hasLinks)
  }

  @Test func `if another program has one of the addresses, no server of the page stays open`() async throws {
    // The kernel gives a port below 32,768 to no other program that asks for any port.
    let (addresses, port) = (["127.91.7.4", "127.91.7.5"], 20_000 + Int(getpid() % 10_000))
    let other = try await open(on: [addresses[1]], port: port)[0]
    await #expect(throws: ListenError.self) { try await open(on: addresses, port: port) }
    // The port is free at the first address.
    let again = try await open(on: [addresses[0]], port: port)[0]
    await again.abandon()
    await other.abandon()
  }

  @Test func `the page needs descriptors for its sockets and for the requests to the gateway`() {
    // Two sockets that listen, 16 connections without authentication, 16 with authentication, one more connection of
    // each server, and two descriptors for each of the 16 connections to the gateway.
    #expect(PageServer.descriptors == 2 + 16 + 16 + 2 + 16 * 2)
  }
}
