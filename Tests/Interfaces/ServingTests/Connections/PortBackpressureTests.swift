import Base
import LineProtocol
import NIOCore
import NIOEmbedded
import Ports
import RecordingClients
import Synchronization
import Testing

@testable import Serving

/// A port that accepts all data immediately, like the buffer of the kernel. The port has no channel.
final class SimulatedPort: LinePort {
  let speed = 9600
  let isOpen = true
  private let state = Mutex((unsent: 0, flushes: 0))
  /// Throws an error in place of a channel.
  private let opening: @Sendable () throws -> Void

  init(_ opening: @escaping @Sendable () throws -> Void = {}) { self.opening = opening }

  var unsent: Int { state.withLock { $0.unsent } }
  var flushes: Int { state.withLock { $0.flushes } }

  func hold(_ count: Int) { state.withLock { $0.unsent = count } }

  func flushOutput() { state.withLock { $0 = (0, $0.flushes + 1) } }

  func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer> {
    try opening()
    throw ChannelError.operationUnsupported
  }
}

/// A connection over a simulated port.
private struct Line {
  let port = SimulatedPort()
  let channel = EmbeddedChannel()
  let connection: Connection

  init() throws {
    try channel.pipeline.syncOperations.addHandler(BackpressureHandler(port: PortOutput(port)))
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/a")).wait()
    connection = Connection(
      number: 1, role: .app, transport: .serial, peer: .port("/dev/ttyS1"), channel: channel)
  }

  func received() throws -> [String] {
    try channel.sentText().split(separator: "\n").map(String.init)
  }

  /// Lets the time pass in which the line transmits data.
  func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

  func update(_ number: Int) {
    let padding = String(repeating: "x", count: 200)
    connection.send(update: UpdateLine(sid: "u", json: "{\"n\":\(number),\"p\":\"\(padding)\"}"))
    // The event loop receives each line separately.
    channel.embeddedEventLoop.run()
  }

  func state(_ name: String) {
    connection.send(.message(.init(topic: Topic.indicator.rawValue, sid: "i", json: "{\"state\":\"\(name)\"}")))
  }
}

@Test func `a port accepts no more than its line transmits, and newer updates replace waiting updates`() throws {
  let line = try Line()
  // The first 240 bytes take 250 ms. Later updates wait, and the queue keeps 32 of the hundred updates.
  for number in 0..<100 { line.update(number) }
  line.state("acquiring")
  line.state("in-use")
  #expect(try line.received().count == 1)
  let heard = try (0..<100).flatMap { _ in
    line.pass(.seconds(1))
    return try line.received()
  }
  #expect(heard.filter { $0.hasPrefix("MSG indicator") } == ["MSG indicator i {\"state\":\"in-use\"}"])
  let updates = heard.filter { $0.hasPrefix("MSG fix/updates") }
  #expect(updates.count == 32)
  #expect(updates.first?.contains("\"dropped\":67") == true)
  #expect(updates.last?.contains("\"n\":99,") == true)
}

@Test func `a recalled fix is dropped from the port's buffer, and its conversation ends`() throws {
  let line = try Line()
  line.update(1)
  #expect(try line.received().count == 1)
  line.connection.recall(.once)
  line.channel.embeddedEventLoop.run()
  #expect(line.port.flushes == 0 && line.channel.isActive)
  line.connection.recall(.all)
  line.channel.embeddedEventLoop.run()
  #expect(line.port.flushes == 1 && !line.channel.isActive)
}

@Test func `data that a port has sent cannot be recalled, and no other data is cut`() {
  let port = SimulatedPort()
  var output = PortOutput(port)
  let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
  // 96 bytes take 100 ms. The port accepts them 50 ms before the line is free.
  #expect(output.noteWritten(96, .once, at: start) == .milliseconds(50))
  #expect(output.noteWritten(10, [], at: start + .milliseconds(150)) == nil)
  // At this time, the line has transmitted the fix, but not the reply.
  #expect(!output.drop(.all, at: start + .milliseconds(151)))
  // A blocked line holds data longer than its speed explains.
  #expect(output.noteWritten(96, .updates, at: start + .seconds(1)) == .milliseconds(50))
  port.hold(40)
  #expect(!output.drop(.once, at: start + .seconds(9)))
  #expect(output.drop(.updates, at: start + .seconds(9)))
  #expect(port.flushes == 1)
}

@Test func `a port gets further data while at most 50 ms of data wait, and has sent data after its time`() {
  var output = PortOutput(SimulatedPort())
  let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
  // 48 bytes take 50 ms.
  #expect(output.noteWritten(48, .once, at: start) == nil)
  #expect(output.drop(.once, at: start + .milliseconds(50) - .nanoseconds(1)))
  #expect(!output.drop(.once, at: start + .milliseconds(50)))
  // 24 bytes take 25 ms.
  #expect(output.noteWritten(24, [], at: start + .milliseconds(25)) == nil)
  #expect(output.noteWritten(24, [], at: start + .milliseconds(25)) == .milliseconds(25))
}
