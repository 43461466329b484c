import Clocks
import LineProtocol
import NIOCore
import Ports
import NIOEmbedded
import Synchronization
import Testing

@testable import Connections

/// A port that takes everything at once, as a kernel's buffer does.
private final class SimulatedPort: LinePort {
  let speed = 9600
  let isOpen = true
  private let state = Mutex((unsent: 0, flushes: 0))

  var unsent: Int { state.withLock { $0.unsent } }
  var flushes: Int { state.withLock { $0.flushes } }

  func hold(_ count: Int) { state.withLock { $0.unsent = count } }

  func flushOutput() {
    state.withLock { state in
      state.unsent = 0
      state.flushes += 1
    }
  }

  func channel<Received: Sendable>(
    on group: any EventLoopGroup,
    _ wrap: @escaping @Sendable (any Channel) throws -> NIOAsyncChannel<Received, ByteBuffer>
  ) async throws -> NIOAsyncChannel<Received, ByteBuffer> { throw ChannelError.operationUnsupported }
}

/// A connection over such a port.
private struct Line {
  let port = SimulatedPort()
  let channel = EmbeddedChannel()
  let connection: Connection

  init() throws {
    try channel.pipeline.syncOperations.addHandler(BackpressureHandler(port: PortOutput(port)))
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/a")).wait()
    connection = Connection(
      number: 1, role: .app, transport: .serial, peer: .port("/dev/ttyS1"), channel: channel,
      writeQueue: LoopWriteQueue(channel.eventLoop))
  }

  func received() throws -> [String] {
    channel.embeddedEventLoop.run()
    var text = ""
    while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
    return text.split(separator: "\n").map(String.init)
  }

  /// Lets the line carry what it was given.
  func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

  func update(_ number: Int) {
    let padding = String(repeating: "x", count: 200)
    connection.send(update: UpdateLine(sid: "u", json: "{\"n\":\(number),\"p\":\"\(padding)\"}"))
    // Each is handed over by itself.
    channel.embeddedEventLoop.run()
  }

  func state(_ name: String) {
    connection.send(.message(.init(topic: Topic.indicator.rawValue, sid: "i", json: "{\"state\":\"\(name)\"}")))
  }
}

@Test func `a port is given no more than its line carries, and what waits meanwhile gives way to what is newer`() throws
{
  let line = try Line()
  // 240 bytes take 250 ms: the ones after the first wait, and of a hundred 32 are left.
  for number in 0..<100 { line.update(number) }
  line.state("acquiring")
  line.state("in-use")
  #expect(try line.received().count == 1)
  var heard: [String] = []
  for _ in 0..<100 {
    line.pass(.seconds(1))
    heard += try line.received()
  }
  #expect(heard.filter { $0.hasPrefix("MSG indicator") } == ["MSG indicator i {\"state\":\"in-use\"}"])
  let updates = heard.filter { $0.hasPrefix("MSG fix/updates") }
  #expect(updates.count == SendQueue.mostUpdates)
  #expect(updates.first?.contains("\"dropped\":\(99 - SendQueue.mostUpdates)") == true)
  #expect(updates.last?.contains("\"n\":99,") == true)
}

@Test
func `a fix that was recalled is dropped from the port's buffer, and the conversation with the half line in it ends`()
  throws
{
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

@Test func `what a port has sent cannot be recalled, and nothing else is cut`() {
  let port = SimulatedPort()
  var output = PortOutput(port)
  let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
  // 96 bytes take 100 ms, of which the last 50 are given in advance.
  #expect(output.noteWritten(96, .once, at: start) == .milliseconds(50))
  #expect(output.noteWritten(10, [], at: start + .milliseconds(150)) == nil)
  // The fix has left by then; the reply has not.
  #expect(!output.drop(.all, at: start + .milliseconds(151)))
  // A line that stands still holds longer than its speed tells.
  #expect(output.noteWritten(96, .updates, at: start + .seconds(1)) == .milliseconds(50))
  port.hold(40)
  #expect(!output.drop(.once, at: start + .seconds(9)))
  #expect(output.drop(.updates, at: start + .seconds(9)))
  #expect(port.flushes == 1)
}
