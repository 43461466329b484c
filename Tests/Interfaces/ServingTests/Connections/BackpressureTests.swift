import Base
import LineProtocol
import NIOCore
import NIOEmbedded
import Ports
import RecordingClients
import Testing

@testable import Serving

/// A connection. A test controls whether its socket accepts data.
private final class Wire {
  let channel: EmbeddedChannel
  let connection: Connection
  private let valve = Valve()

  init() throws {
    channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([valve, BackpressureHandler()])
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/a")).wait()
    connection = Connection(
      number: 1, role: .app, transport: .unix, peer: .process(uid: 1000, unit: nil), channel: channel)
  }

  /// Blocks the socket. It accepts only a part of the next line.
  func close() { valve.close() }

  /// Blocks the socket after the line of `send(text)`.
  func fill(_ text: String = "a") throws {
    close()
    send(text)
    #expect(try received() == ["+OK @\(text)"])
  }

  func open() { valve.open(channel) }

  func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

  /// Returns the lines that the socket has accepted since the last call.
  func received() throws -> [String] {
    try channel.sentText().split(separator: "\n").map(String.init)
  }

  func send(_ text: String) { connection.send(.ok(tag: "@\(text)", [:])) }

  func update(_ number: Int) {
    connection.send(update: UpdateLine(sid: "-", json: "{\"n\":\(number)}"))
  }

  func once(_ number: Int, until: MonotonicInstant = MonotonicInstant(nanoseconds: .max)) {
    connection.send(once: .init(topic: Topic.fixOnce.rawValue, sid: "-", id: number, json: "{}"), until: until)
  }
}

@Test func `lines that a client does not read wait, and arrive in their order when it reads`() throws {
  let wire = try Wire()
  wire.send("a")
  #expect(try wire.received() == ["+OK @a"])
  try wire.fill("b")
  #expect(wire.connection.isFull)
  for tag in ["c", "d", "e"] { wire.send(tag) }
  #expect(try wire.received().isEmpty)
  wire.open()
  #expect(try wire.received() == ["+OK @c", "+OK @d", "+OK @e"])
  #expect(!wire.connection.isFull)
}

@Test func `recalled fixes are never sent, in any queue, and other lines are`() throws {
  let wire = try Wire()
  // These lines have not reached the event loop yet.
  wire.once(1)
  wire.update(1)
  wire.connection.recall(.updates)
  #expect(try wire.received() == ["MSG fix/once - id=1 {}"])
  wire.update(1)
  wire.once(1)
  wire.connection.recall(.all)
  #expect(try wire.received().isEmpty)
  // These lines wait for a full socket.
  try wire.fill()
  wire.update(2)
  wire.once(2)
  wire.send("b")
  _ = try wire.received()
  wire.connection.recall(.all)
  wire.open()
  #expect(try wire.received() == ["+OK @b"])
  // The connection sends later lines.
  wire.update(3)
  wire.once(3)
  #expect(try wire.received() == ["MSG fix/updates - {\"n\":3}", "MSG fix/once - id=3 {}"])
}

@Test func `a fix that has left in part is cut off when it is recalled`() throws {
  let wire = try Wire()
  wire.close()
  wire.update(1)
  _ = try wire.received()
  wire.connection.recall(.once)
  _ = try wire.received()
  #expect(wire.channel.isActive)
  wire.connection.recall(.updates)
  _ = try wire.received()
  #expect(!wire.channel.isActive)
}

@Test func `a one-time fix leaves only while the light tells of it`() throws {
  let wire = try Wire()
  wire.once(1, until: MonotonicInstant(nanoseconds: 0))
  #expect(try wire.received().isEmpty)
}

@Test func `lines that waited for the event loop leave together, in their order`() throws {
  let wire = try Wire()
  for number in 1...3 { wire.update(number) }
  wire.send("a")
  wire.channel.embeddedEventLoop.run()
  let bytes = try #require(try wire.channel.readOutbound(as: ByteBuffer.self))
  let lines = (1...3).map { "MSG fix/updates - {\"n\":\($0)}" } + ["+OK @a"]
  #expect(String(buffer: bytes).split(separator: "\n").map(String.init) == lines)
}

@Test func `events that find no room close the connection`() throws {
  let wire = try Wire()
  try wire.fill()
  for number in 0...256 {
    wire.connection.send(.message(.init(topic: Topic.buttonPress.rawValue, sid: "b", json: "{\"n\":\(number)}")))
  }
  #expect(try wire.received().last?.hasPrefix("-ERR 904 slow-consumer") == true)
}

@Test func `a client has 10 s for each line that it takes, and is then told so and closed`() throws {
  let wire = try Wire()
  try wire.fill()
  wire.send("b")
  wire.pass(.seconds(10) - .nanoseconds(1))
  #expect(try wire.received().isEmpty)
  wire.open()
  #expect(try wire.received() == ["+OK @b"])
  try wire.fill("c")
  wire.send("d")
  wire.pass(.seconds(10) - .nanoseconds(1))
  // The socket accepts one more line, and is full again.
  wire.channel.isWritable = true
  wire.channel.pipeline.fireChannelWritabilityChanged()
  #expect(try wire.received() == ["+OK @d"])
  wire.pass(.seconds(10) - .nanoseconds(1))
  #expect(wire.channel.isActive)
  wire.pass(.nanoseconds(1))
  #expect(try wire.received().first?.hasPrefix("-ERR 904 slow-consumer") == true)
  #expect(!wire.channel.isActive)
}

/// A handler that simulates a socket that accepts no data, and records the lines that it gets.
private final class BlockedSocket: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private(set) var lines: [String] = []
  private var promises: [EventLoopPromise<Void>] = []

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    lines.append(String(buffer: unwrapOutboundIn(data)))
    if let promise { promises.append(promise) }
    (context.channel as? EmbeddedChannel)?.isWritable = false
    context.fireChannelWritabilityChanged()
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
    promises = []
    context.close(mode: mode, promise: promise)
  }
}

@Test(arguments: [(Transport.unix, 4096), (.serial, 512)])
func `a line with a checksum has at most the maximum length of its transport`(
  transport: Transport, longest: Int
) throws {
  let channel = EmbeddedChannel(handler: BackpressureHandler())
  try channel.connect(to: SocketAddress(unixDomainSocketPath: "/a")).wait()
  let connection = Connection(number: 1, role: .app, transport: transport, peer: .process(uid: 1000), channel: channel)
  let start = "+OK x=".count
  for excess in [0, 1] {
    connection.send(.ok(tag: nil, ["x": String(repeating: "x", count: longest - Checksum.length - start + excess)]))
    channel.embeddedEventLoop.run()
    let line = try channel.sentText()
    #expect(line.hasSuffix("\n") && (line.count - 1 == longest - Checksum.length) == (excess == 0), "\(line.count)")
    #expect(line.count - 1 <= longest - Checksum.length)
  }
}

@Test func `after the final error a client gets no other line, and has half a second to read the error`() throws {
  let (channel, socket, counter) = (EmbeddedChannel(), BlockedSocket(), DismissalCounter())
  try channel.pipeline.syncOperations.addHandlers([socket, BackpressureHandler(), counter])
  try channel.connect(to: SocketAddress(unixDomainSocketPath: "/a")).wait()
  let connection = Connection(
    number: 1, role: .app, transport: .unix, peer: .process(uid: 1000), channel: channel)
  for tag in ["a", "b"] {
    connection.send(.ok(tag: "@\(tag)", [:]))
    channel.embeddedEventLoop.run()
  }
  for text in ["first", "second"] { connection.handler?.leave(LineError(.shuttingDown, text)) }
  #expect(counter.count == 1)
  connection.send(.ok(tag: "@c", [:]))
  channel.isWritable = true
  channel.pipeline.fireChannelWritabilityChanged()
  channel.embeddedEventLoop.advanceTime(by: .milliseconds(500) - .nanoseconds(1))
  #expect(socket.lines == ["+OK @a\n", "-ERR 906 shutting-down :first\n"])
  #expect(channel.isActive)
  channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
  #expect(!channel.isActive)
}

@Test func `who waits for what was sent to leave is told when it has, or when the connection ends`() throws {
  for ends in [false, true] {
    let wire = try Wire()
    try wire.fill()
    wire.send("b")
    let drained = wire.channel.eventLoop.makePromise(of: Void.self)
    var isDrained = false
    drained.futureResult.assumeIsolated().whenSuccess { isDrained = true }
    wire.connection.handler?.drain(drained)
    #expect(!isDrained)
    if ends { wire.channel.close(promise: nil) } else { wire.open() }
    _ = try wire.received()
    #expect(isDrained)
  }
}

@Test func `of what a facade says again and again the newest waits`() throws {
  let wire = try Wire()
  try wire.fill()
  for beat in ["1", "2", "3"] {
    wire.connection.send(foreign: "{\(beat)}\n", isBeat: true)
    wire.connection.send(foreign: "{answer \(beat)}\n")
  }
  #expect(try wire.received().isEmpty)
  wire.open()
  #expect(try wire.received() == ["{answer 1}", "{answer 2}", "{3}", "{answer 3}"])
}

@Test func `a fix waits for a client that has yet to ask`() throws {
  let wire = try Wire()
  for isHeld in [false, true, false] {
    wire.connection.isHeld = isHeld
    #expect(wire.connection.isFull == isHeld)
  }
  wire.connection.isPolled = true
  #expect(wire.connection.isPolled)
}
