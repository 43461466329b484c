import Clocks
import LineProtocol
import SeededNumbers
import Testing

@testable import GPSDProtocol

/// A client, the gateway, and what stands between.
private struct Scene {
  var emulator: GPSDEmulator
  var now = MonotonicInstant(nanoseconds: 0)
  var said: [String] = []
  var orders: [GPSDEmulator.Order] = []

  static let fix = #"{"lat":47.0,"lon":8.0,"hacc":3.0,"accuracy":"full"}"#

  init(isApp: Bool = true) { emulator = GPSDEmulator(gateway: "1.0.0", isApp: isApp) }

  init(isApp: Bool = true, sentences: [NMEASentence]) {
    emulator = GPSDEmulator(sentences: sentences, isApp: isApp)
    note(emulator.begin())
  }

  /// What was said since the last time.
  mutating func sentences() -> [String] {
    defer { said = [] }
    return said
  }

  mutating func ask(_ line: String) {
    for request in GPSDRequest.all(in: "\(line)\n".utf8) { note(emulator.handle(request, at: now)) }
  }

  mutating func tell(_ line: ServerLine) { note(emulator.handle(line, at: now)) }

  mutating func wait(_ time: Duration = .seconds(1)) {
    now = now + time
    note(emulator.tick(at: now))
  }

  private mutating func note(_ outcome: GPSDEmulator.Outcome) {
    said += outcome.lines
    orders += outcome.orders
  }

  /// What was said since the last time, by class and mode.
  mutating func received() -> [String] {
    defer { said = [] }
    return said.compactMap { JSONValue($0.utf8) }.map { report in
      let position = report["tpv"]?.array?.first ?? report
      let mode = position["mode"]?.number.map { " \(Int($0))" } ?? ""
      return (report["class"]?.string ?? "?") + mode
    }
  }

  /// What was ordered since the last time.
  mutating func ordered() -> [GPSDEmulator.Order] {
    defer { orders = [] }
    return orders
  }

  /// The gateway knows the client.
  mutating func introduce(_ status: String = "notDetermined") {
    tell(.ok(tag: "@hello", ["proto": "1", "session": "x", "authorization": status, "accuracy": "full"]))
  }

  /// Watches, until the gateway has armed it.
  mutating func arm(_ line: String = "?WATCH={\"enable\":true,\"json\":true}") throws {
    ask(line)
    introduce()
    let tag = try #require(onceTag)
    tell(.ok(tag: tag, ["state": "awaiting-press"]))
  }

  var onceTag: String? {
    orders.compactMap { if case .perform(.requestOnce, let tag) = $0 { tag } else { nil } }.last
  }

  var updatesTag: String? {
    orders.compactMap { if case .perform(.startUpdates, let tag) = $0 { tag } else { nil } }.last
  }

  mutating func give(_ topic: Topic, _ json: String = fix) {
    tell(.message(.init(topic: topic.rawValue, sid: "-", json: json)))
  }
}

@Suite struct GPSDEmulatorTests {
  private static let watch = "?WATCH={\"enable\":true,\"json\":true}"

  @Test func `a watch introduces the client and arms, and a press gives one report with a place`() throws {
    var scene = Scene()
    scene.ask(Self.watch)
    #expect(scene.received() == ["DEVICES", "WATCH"])
    #expect(scene.ordered() == [.introduce(tag: "@hello")])
    scene.introduce()
    let tag = try #require(scene.onceTag)
    scene.tell(.ok(tag: tag, ["state": "awaiting-press"]))
    scene.wait()
    scene.wait()
    #expect(scene.received() == ["TPV 1", "TPV 1"])
    scene.give(.fixOnce)
    scene.wait()
    scene.wait()
    #expect(scene.received() == ["TPV 2", "TPV 1", "TPV 1"])
    _ = scene.ordered()
    scene.give(.fixOnce)
    scene.wait(.seconds(600))
    #expect(scene.ordered().isEmpty, "only a watch arms again")
    #expect(scene.received() == ["TPV 1"])
    scene.ask(Self.watch)
    #expect(scene.onceTag != nil && scene.onceTag != tag)
  }

  @Test func `who is no app is told for ever that there is no fix, and the gateway hears nothing`() {
    var scene = Scene(isApp: false)
    for line in [Self.watch, "?POLL;", "?WATCH={\"enable\":true}", "?POLL;", "?DEVICES;", "?WATCH={\"raw\":1}"] {
      scene.ask(line)
      scene.wait()
    }
    #expect(scene.ordered().isEmpty)
    #expect(Set(scene.received()) == ["DEVICES", "WATCH", "TPV 1", "POLL 1"])
  }

  @Test func `with a standing authorization a watch starts a stream, and its end cancels it`() throws {
    var scene = Scene()
    scene.ask(Self.watch)
    scene.introduce("whenInUse")
    let tag = try #require(scene.updatesTag)
    #expect(scene.onceTag == nil)
    scene.tell(.ok(tag: tag, ["state": "acquiring"]))
    for _ in 0..<3 {
      scene.give(.fixUpdates)
      scene.wait()
    }
    #expect(scene.received() == ["DEVICES", "WATCH", "TPV 2", "TPV 2", "TPV 2"])
    scene.wait(.seconds(3))
    #expect(scene.received() == ["TPV 1"], "a stream that has stopped for a while has no fix")
    _ = scene.ordered()
    scene.ask("?WATCH={\"enable\":false}")
    #expect(scene.ordered() == [.perform(.stopUpdates, tag: "@other")])
    scene.give(.fixUpdates)
    scene.wait()
    #expect(scene.received() == ["WATCH"])
  }

  @Test(arguments: [ErrorCode.notDetermined, .denied, .restricted, .notInUse])
  func `what a standing authorization does not cover, a press may`(code: ErrorCode) throws {
    var scene = Scene()
    scene.ask(Self.watch)
    scene.introduce("always")
    let tag: String = try #require(scene.updatesTag)
    scene.tell(.error(LineError(code, "no"), tag: tag, [:]))
    #expect(scene.onceTag != nil)
    #expect(scene.received() == ["DEVICES", "WATCH"])
  }

  @Test(arguments: [ErrorCode.noPress, .locked, .expired, .alreadyArmed, .rateLimited, .indicator, .noFix])
  func `a request that ends is told as nothing but that there is no fix`(code: ErrorCode) throws {
    var scene = Scene()
    try scene.arm()
    let tag = try #require(scene.onceTag)
    _ = scene.received()
    scene.tell(.error(LineError(code, "no"), tag: tag, [:]))
    scene.wait()
    #expect(scene.received() == ["TPV 1"])
    scene.give(.fixOnce)
    #expect(scene.received().isEmpty, "what was not asked for does not pass")
  }

  @Test func `a fix for a watch that has ended answers no later one`() throws {
    var scene = Scene()
    try scene.arm()
    let former = try #require(scene.onceTag)
    // The fix is on its way meanwhile.
    scene.ask("?WATCH={\"enable\":false}")
    scene.ask(Self.watch)
    let tag = try #require(scene.onceTag)
    #expect(tag != former)
    _ = scene.received()
    scene.give(.fixOnce)
    #expect(scene.received().isEmpty)
    scene.tell(.ok(tag: tag, ["state": "awaiting-press"]))
    scene.give(.fixOnce)
    #expect(scene.received() == ["TPV 2"], "the later one waits for its own press")
  }

  @Test func `an authorization that the person gives counts from the next watch on`() throws {
    var scene = Scene()
    try scene.arm()
    scene.give(.fixOnce)
    scene.give(.authorization, #"{"status":"whenInUse","accuracy":"full"}"#)
    scene.ask(Self.watch)
    #expect(scene.updatesTag != nil)
  }

  @Test func `who polls gets the fix that waits for it, and before it that there is none`() throws {
    var scene = Scene()
    try scene.arm("?WATCH={\"enable\":true}")
    #expect(scene.emulator.isHeld, "a fix comes when it is asked for")
    _ = scene.received()
    scene.ask("?POLL;")
    #expect(!scene.emulator.isHeld && scene.received().isEmpty)
    scene.wait(GPSDEmulator.pollPatience)
    #expect(scene.emulator.isHeld && scene.received() == ["POLL 1"])
    scene.ask("?POLL;")
    scene.give(.fixOnce)
    #expect(scene.received() == ["POLL 2"])
    scene.ask("?POLL;")
    #expect(scene.received() == ["POLL 1"], "it was given once")
  }

  @Test func `a client that wants sentences is armed, and a press gives it the sentences of one epoch`() throws {
    var scene = Scene()
    try scene.arm("?WATCH={\"enable\":true,\"nmea\":true,\"json\":false}")
    #expect(scene.said.contains { $0.contains(#""json":false,"nmea":true,"raw":0"#) })
    #expect(scene.received() == ["DEVICES", "WATCH"])
    scene.wait()
    #expect(scene.sentences() == ["$GNRMC,,V,,,,,,,,,,N*4D"])
    scene.give(.fixOnce)
    #expect(scene.sentences().map { $0.prefix(6) } == ["$GNRMC", "$GNGGA", "$GNGSA", "$GNGST"])
    scene.give(.fixOnce)
    scene.wait()
    #expect(scene.sentences() == ["$GNRMC,,V,,,,,,,,,,N*4D"])
  }

  @Test func `a client that wants reports and sentences receives both`() throws {
    var scene = Scene()
    try scene.arm("?WATCH={\"nmea\":true,\"json\":true}")
    _ = scene.received()
    scene.wait()
    #expect(scene.said.map { $0.first } == ["{", "$"])
    scene.said = []
    scene.give(.fixOnce)
    #expect(scene.said.map { $0.first } == ["{", "$", "$", "$", "$"])
  }

  // MARK: A receiver, whose clients send nothing

  @Test func `a connection to a receiver is its request, and a press gives the sentences of one epoch`() throws {
    var scene = Scene(sentences: [.gga, .rmc])
    #expect(scene.ordered() == [.introduce(tag: "@hello")])
    #expect(scene.said.isEmpty, "a receiver does not greet")
    scene.introduce()
    let tag = try #require(scene.onceTag)
    scene.tell(.ok(tag: tag, ["state": "awaiting-press"]))
    scene.wait()
    #expect(scene.sentences() == ["$GNRMC,,V,,,,,,,,,,N*4D"])
    scene.give(.fixOnce)
    #expect(scene.sentences().map { $0.prefix(6) } == ["$GNGGA", "$GNRMC"])
    _ = scene.ordered()
    scene.give(.fixOnce)
    scene.wait(.seconds(600))
    #expect(scene.sentences() == ["$GNRMC,,V,,,,,,,,,,N*4D"])
    #expect(scene.ordered().isEmpty, "a program in the background gets no fix of a later press")
  }

  @Test func `a client of a receiver receives no reasons and no greeting`() {
    var scene = Scene(sentences: NMEASentence.usual)
    scene.tell(.error(LineError(.shuttingDown, "the gateway stops"), tag: nil, [:]))
    #expect(scene.said.isEmpty)
  }

  @Test func `a client of a receiver that belongs to no app asks for nothing`() {
    var scene = Scene(isApp: false, sentences: NMEASentence.usual)
    scene.wait()
    scene.wait(.seconds(60))
    #expect(scene.ordered().isEmpty)
    #expect(Set(scene.sentences()) == ["$GNRMC,,V,,,,,,,,,,N*4D"])
  }

  @Test func `a standing authorization gives a client of a receiver the stream, also after a press`() throws {
    var scene = Scene(sentences: [.rmc])
    scene.introduce("always")
    #expect(scene.updatesTag != nil && scene.onceTag == nil)
    // A user permits use while the client is connected, and the owner later too.
    for status in ["whenInUse", "always"] {
      var scene = Scene(sentences: [.rmc])
      scene.introduce()
      #expect(scene.onceTag != nil && scene.updatesTag == nil)
      scene.give(.authorization, "{\"status\":\"\(status)\"}")
      let tag = try #require(scene.updatesTag)
      scene.tell(.ok(tag: tag, [:]))
      for _ in 0..<3 { scene.give(.fixUpdates) }
      #expect(scene.sentences().count == 3)
    }
  }

  @Test func `after the use of an app has ended, a press begins the stream again`() throws {
    var scene = Scene(sentences: [.rmc])
    scene.introduce("whenInUse")
    let tag = try #require(scene.updatesTag)
    scene.tell(.ok(tag: tag, [:]))
    _ = scene.ordered()
    scene.tell(.error(LineError(.notInUse, "the app is no longer in use"), tag: tag, [:]))
    let once = try #require(scene.onceTag)
    #expect(scene.updatesTag == nil)
    scene.tell(.ok(tag: once, [:]))
    scene.give(.fixOnce)
    #expect(scene.sentences().count == 1)
    let next = try #require(scene.updatesTag)
    #expect(next != tag)
  }

  @Test func `updates that ended for another reason are requested again after 10 s`() throws {
    var scene = Scene(sentences: [.rmc])
    scene.introduce("always")
    for _ in 0..<3 {
      let tag = try #require(scene.updatesTag)
      _ = scene.ordered()
      scene.tell(.error(LineError(.locked, "the gateway is locked"), tag: tag, [:]))
      for _ in 0..<10 { scene.wait() }
      #expect(scene.ordered().isEmpty)
      scene.wait()
      #expect(scene.updatesTag != nil)
    }
  }

  @Test func `why a connection ends is said`() {
    var scene = Scene()
    scene.tell(.error(LineError(.shuttingDown, "the gateway stops"), tag: nil, [:]))
    #expect(scene.said == [#"{"class":"ERROR","message":"the gateway stops"}"#])
  }

  @Test func `no order of events gives a place that was not asked for, or one twice`() throws {
    for seed in 0..<400 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      let isApp = seed % 4 != 0
      var scene = Scene(isApp: isApp)
      var (watches, arms, given) = (0, 0, 0)
      for _ in 0..<60 {
        let before = scene.said.count
        var place = 0
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1:
          scene.ask(
            ["?WATCH={\"json\":true}", "?WATCH={}", "?WATCH={\"nmea\":true}"].randomElement(using: &generator)!)
          watches += 1
        case 2: scene.ask("?WATCH={\"enable\":false}")
        case 3: scene.ask("?POLL;")
        case 4: scene.introduce(["denied", "whenInUse", "notDetermined"].randomElement(using: &generator)!)
        case 5: if let tag = scene.onceTag { scene.tell(.ok(tag: tag, [:])) }
        case 6: if let tag = scene.updatesTag { scene.tell(.ok(tag: tag, [:])) }
        case 7: if let tag = scene.onceTag { scene.tell(.error(LineError(.noPress, ""), tag: tag, [:])) }
        case 8: if let tag = scene.updatesTag { scene.tell(.error(LineError(.notInUse, ""), tag: tag, [:])) }
        case 9:
          place = 1
          scene.give(.fixOnce)
        case 10:
          place = 2
          scene.give(.fixUpdates)
        default: scene.wait(.milliseconds(Int64.random(in: 0...4000, using: &generator)))
        }
        let places = scene.said[before...].count { $0.contains("\"lat\"") }
        let sentences = scene.said[before...].count { $0.contains("GGA") }
        #expect(sentences <= 1 && sentences <= place, "the sentences of one epoch")
        #expect(places <= place, "a place that passes is not kept, and a press gives one")
        given += places
      }
      arms = scene.orders.count {
        switch $0 {
        case .perform(.requestOnce, _), .perform(.startUpdates, _): true
        case .introduce, .perform: false
        }
      }
      #expect(arms <= 2 * watches)
      if !isApp { #expect(scene.orders.isEmpty && given == 0) }
    }
  }
}
