import Base
import LineProtocol
import NIOCore
import NIOEmbedded
import Ports
import RecordingClients
import Serving
import Testing

@testable import Features

/// The connection of a client. A test controls whether its socket accepts data.
private final class Wire {
  let channel = EmbeddedChannel()
  let connection: Connection
  let session: GPSDClientSession
  private let valve = Valve()

  static let fix = #"{"lat":47.0,"lon":8.0,"hacc":3.0,"accuracy":"full"}"#

  init() throws {
    try channel.pipeline.syncOperations.addHandlers([valve, TranslationHandler(), BackpressureHandler.translated()])
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 2947)).wait()
    connection = Connection(
      number: 1, role: .app, transport: .gpsd, peer: .process(uid: 1000), channel: channel)
    session = GPSDClientSession(GPSDEmulator(gateway: "1.0.0", isApp: true), on: connection)
    try channel.triggerUserOutboundEvent(session).wait()
  }

  func close() { valve.close() }

  func open() { valve.open(channel) }

  /// Returns the lines that the socket has accepted since the last call, with their line ends.
  func received() throws -> [String] {
    try channel.sentText().split(separator: "\r\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Sends `?WATCH`, and the reply of the gateway to the request.
  func arm() throws {
    session.handle(.watch(WatchSettings(json: true)))
    connection.send(.ok(tag: "@hello", ["authorization": "notDetermined"]))
    connection.send(.ok(tag: "@once-1", ["state": "awaiting-press"]))
    _ = try received()
  }

  func once(until: MonotonicInstant = MonotonicInstant(nanoseconds: .max)) {
    connection.send(once: .init(topic: Topic.fixOnce.rawValue, sid: "-", json: Self.fix), until: until)
  }
}

@Suite struct TranslationTests {
  @Test func `lines of the gateway become lines of gpsd, or are left out`() throws {
    let wire = try Wire()
    wire.session.begin()
    #expect(try wire.received().first?.hasPrefix(#"{"class":"VERSION""#) == true)
    wire.connection.send(.ok(tag: "@other", [:]))
    wire.connection.send(.info(["proto": "1"]))
    wire.connection.send(.ping)
    #expect(try wire.received().isEmpty)
    try wire.arm()
    // A fix whose light has gone out does not leave.
    wire.once(until: MonotonicInstant(nanoseconds: 1))
    #expect(try wire.received().isEmpty)
    wire.once()
    let said = try wire.received()
    #expect(said.count == 1 && said[0].hasPrefix(#"{"class":"TPV""#) && said[0].contains(#""lat":47.0"#))
    wire.once()
    #expect(try wire.received().isEmpty)
  }

  @Test func `a fix that is recalled before it leaves never does, and it is told of as if there had been none`() throws
  {
    let wire = try Wire()
    try wire.arm()
    wire.close()
    wire.session.refuse("a")
    _ = try wire.received()
    #expect(wire.connection.isFull)
    wire.once()
    _ = try wire.received()
    wire.connection.recall(.all)
    wire.open()
    wire.session.tick()
    #expect(try wire.received() == [#"{"class":"TPV","device":"onefix","mode":1}"#])
  }

  @Test func `a fix that has left in part when it is recalled is cut off`() throws {
    let wire = try Wire()
    try wire.arm()
    wire.close()
    wire.once()
    wire.channel.embeddedEventLoop.run()
    wire.connection.recall(.all)
    wire.channel.embeddedEventLoop.run()
    #expect(!wire.channel.isActive)
  }

  @Test func `a client that does not read is told once that there is no fix, however long it takes`() throws {
    let wire = try Wire()
    try wire.arm()
    wire.close()
    wire.session.refuse("a")
    _ = try wire.received()
    for _ in 0..<100 { wire.connection.send(foreign: "{}\n", isBeat: true) }
    #expect(try wire.received().isEmpty)
    wire.open()
    #expect(try wire.received() == ["{}"])
  }

  @Test func `a client that wants reports and sentences is told in both that there is no fix`() throws {
    let wire = try Wire()
    try wire.arm()
    wire.session.handle(.watch(WatchSettings(nmea: true)))
    _ = try wire.received()
    wire.session.tick()
    #expect(try wire.received() == [#"{"class":"TPV","device":"onefix","mode":1}"#, "$GNRMC,,V,,,,,,,,,,N*4D"])
  }

  @Test func `why a connection ends is said in gpsd's words`() throws {
    let wire = try Wire()
    wire.session.begin()
    _ = try wire.received()
    wire.connection.refuse(LineError(.tooMany, "this app has 1024 sessions (end one first)"), tag: "@hello")
    #expect(try wire.received() == [#"{"class":"ERROR","message":"this app has 1024 sessions (end one first)"}"#])
    #expect(!wire.channel.isActive)
  }
}
