import Base
@testable import LineProtocol
import SeededNumbers
import Testing

/// A client of gpsd that watches or polls, and a client of NMEA.
enum Dialect: CaseIterable {
  case gpsd
  case polling
  case nmea
}

/// An emulator with a client and a gateway.
private struct Scene {
  var emulator: GPSDEmulator
  var now = MonotonicInstant(nanoseconds: 0)
  var said: [String] = []
  var orders: [GPSDEmulator.Order] = []

  static let fix = #"{"lat":47.0,"lon":8.0,"hacc":3.0,"accuracy":"full"}"#
  static let watch = #"?WATCH={"enable":true,"json":true}"#
  static let pollingWatch = #"?WATCH={"enable":true}"#

  init(isApp: Bool = true) { emulator = GPSDEmulator(gateway: "1.0.0", isApp: isApp) }

  init(isApp: Bool = true, sentences: [NMEASentence]) {
    emulator = GPSDEmulator(sentences: sentences, isApp: isApp)
    note(emulator.begin(at: now))
  }

  /// A client of gpsd that has sent a `?WATCH` command.
  init(_ watch: String) {
    self.init()
    ask(watch)
  }

  /// A client that has requested a fix, and a gateway that has not answered.
  init(_ dialect: Dialect) {
    switch dialect {
    case .gpsd: self.init(Self.watch)
    case .polling: self.init(Self.pollingWatch)
    case .nmea: self.init(sentences: NMEASentence.usual)
    }
  }

  /// A client that waits for a press, with the tag of its request.
  static func armed(_ dialect: Dialect) throws -> (scene: Scene, tag: String) {
    var scene = Scene(dialect)
    let tag = try scene.arm()
    _ = (scene.ordered(), scene.received())
    return (scene, tag)
  }

  /// Returns the lines that the client has received since the last call, after a number of seconds.
  mutating func sentences(after seconds: Int = 0) -> [String] {
    for _ in 0..<seconds { wait() }
    defer { said = [] }
    return said
  }

  /// Returns the classes and modes of the reports that the client has received since the last call, after a number of
  /// seconds.
  mutating func received(after seconds: Int = 0) -> [String] {
    sentences(after: seconds).compactMap { JSONValue($0.utf8) }.map { report in
      let position = report["tpv"]?.array?.first ?? report
      let mode = position["mode"]?.number.map { " \(Int($0))" } ?? ""
      return (report["class"]?.string ?? "?") + mode
    }
  }

  /// Returns the orders of the emulator since the last call, after a number of seconds.
  mutating func ordered(after seconds: Int = 0) -> [GPSDEmulator.Order] {
    for _ in 0..<seconds { wait() }
    defer { orders = [] }
    return orders
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
    said += outcome.lines + outcome.beat
    orders += outcome.orders
  }

  /// Sends the reply of the gateway to HELLO.
  mutating func introduce(_ status: String = "notDetermined", accuracy: String = "full") {
    tell(.ok(tag: "@hello", ["proto": "1", "session": "x", "authorization": status, "accuracy": accuracy]))
  }

  /// Accepts the request with the tag, which must exist. Returns the tag.
  @discardableResult
  mutating func accept(_ tag: String?) throws -> String {
    let tag = try #require(tag)
    tell(.ok(tag: tag, ["state": "awaiting-press"]))
    return tag
  }

  /// Introduces the client, and accepts its request for one fix. Returns the tag of the request.
  @discardableResult
  mutating func arm() throws -> String {
    introduce()
    return try accept(onceTag)
  }

  /// Ends the request with the tag without a fix.
  mutating func end(_ tag: String, _ code: ErrorCode) { tell(.error(LineError(code, "no"), tag: tag, [:])) }

  mutating func indicate(_ state: String) { give(.indicator, "{\"state\":\"\(state)\"}") }

  mutating func authorize(_ status: String, accuracy: String = "full") {
    give(.authorization, "{\"status\":\"\(status)\",\"accuracy\":\"\(accuracy)\"}")
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
  private static let noFix = "$GNRMC,,V,,,,,,,,,,N*4D"

  @Test func `a watch introduces the client and arms, and a press gives one report with a position`() throws {
    var scene = Scene(.gpsd)
    #expect(scene.received() == ["DEVICES", "WATCH"])
    #expect(scene.ordered() == [.introduce(tag: "@hello")])
    let tag = try scene.arm()
    #expect(scene.received(after: 2) == ["TPV 1", "TPV 1"])
    scene.give(.fixOnce)
    #expect(scene.received(after: 2) == ["TPV 2", "TPV 1", "TPV 1"])
    _ = scene.ordered()
    scene.give(.fixOnce)
    scene.wait(.seconds(600))
    #expect(scene.ordered().isEmpty, "only a watch arms again")
    #expect(scene.received() == ["TPV 1"])
    scene.ask(Scene.watch)
    #expect(try #require(scene.onceTag) != tag)
  }

  @Test func `with a standing authorization a watch starts a stream, and its end cancels it`() throws {
    var scene = Scene(.gpsd)
    scene.introduce("whenInUse")
    #expect(scene.onceTag == nil)
    try scene.accept(scene.updatesTag)
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
    #expect(scene.received(after: 1) == ["DEVICES", "WATCH"])
  }

  @Test(arguments: [ErrorCode.notDetermined, .notInUse])
  func `a press can give a fix that a standing authorization does not cover`(code: ErrorCode) throws {
    var scene = Scene(.gpsd)
    scene.introduce("always")
    scene.end(try #require(scene.updatesTag), code)
    #expect(scene.onceTag != nil)
    #expect(scene.received() == ["DEVICES", "WATCH"])
  }

  @Test func `a fix for a watch that has ended answers no later watch`() throws {
    var (scene, former) = try Scene.armed(.gpsd)
    // At this time, the gateway has already sent the fix.
    scene.ask("?WATCH={\"enable\":false}")
    scene.ask(Scene.watch)
    _ = scene.received()
    scene.give(.fixOnce)
    #expect(scene.received().isEmpty)
    #expect(try scene.accept(scene.onceTag) != former)
    scene.give(.fixOnce)
    #expect(scene.received() == ["TPV 2"], "the later one waits for its own press")
  }

  @Test func `an authorization by the user takes effect at the next watch`() throws {
    var (scene, _) = try Scene.armed(.gpsd)
    scene.give(.fixOnce)
    scene.authorize("whenInUse")
    scene.ask(Scene.watch)
    #expect(scene.updatesTag != nil)
  }

  @Test func `a poll returns the waiting fix, and without a fix an empty report`() throws {
    var (scene, _) = try Scene.armed(.polling)
    #expect(scene.emulator.isHeld, "a fix comes when it is asked for")
    scene.ask("?POLL;")
    #expect(scene.ordered() == [.fetch], "the gateway may keep a fix")
    #expect(!scene.emulator.isHeld && scene.received().isEmpty)
    scene.wait(GPSDEmulator.pollTimeout)
    #expect(scene.emulator.isHeld && scene.received() == ["POLL 1"])
    scene.ask("?POLL;")
    scene.give(.fixOnce)
    #expect(scene.received() == ["POLL 2"])
    scene.ask("?POLL;")
    #expect(scene.received() == ["POLL 1"], "it was given once")
  }

  @Test(arguments: [("?POLL;", 0), (Scene.pollingWatch + "?POLL;", 1)])
  func `a poll counts the active receivers, of which there is one while the client watches`(
    commands: String, count: Int
  ) throws {
    var scene = Scene()
    scene.introduce()
    scene.ask(commands)
    scene.wait(GPSDEmulator.pollTimeout)
    let poll = try #require(scene.sentences().last { $0.contains(#""class":"POLL""#) })
    #expect(poll.contains("\"active\":\(count),"))
  }

  @Test func `a poll directly after a watch waits for the first fix of an app that needs no press`() throws {
    var scene = Scene(.polling)
    scene.ask("?POLL;")
    scene.introduce("always")
    scene.ask("?POLL;")
    try scene.accept(scene.updatesTag)
    #expect(scene.received() == ["DEVICES", "WATCH"])
    scene.give(.fixUpdates)
    #expect(scene.received().filter { $0.hasPrefix("POLL") } == ["POLL 2", "POLL 2"])
  }

  @Test(arguments: ["?WATCH={\"enable\":false}", "?WATCH={\"json\":true}"])
  func `a poll before a change of the watch is answered, too`(watch: String) throws {
    var (scene, _) = try Scene.armed(.polling)
    scene.ask("?POLL;")
    scene.ask(watch)
    _ = scene.received()
    scene.wait(GPSDEmulator.pollTimeout)
    #expect(scene.received().first == "POLL 1")
  }

  @Test func `up to eight polls wait for the same epoch, and only one gets the fix of a press`() throws {
    var scene = Scene(.gpsd)
    scene.introduce("always")
    try scene.accept(scene.updatesTag)
    _ = scene.received()
    for _ in 0..<9 { scene.ask("?POLL;") }
    #expect(scene.received() == ["POLL 1"], "the ninth is answered immediately")
    scene.give(.fixUpdates)
    #expect(scene.received().filter { $0.hasPrefix("POLL") } == Array(repeating: "POLL 2", count: 8))
    var (single, _) = try Scene.armed(.polling)
    for _ in 0..<2 { single.ask("?POLL;") }
    single.give(.fixOnce)
    #expect(single.received() == ["POLL 2", "POLL 1"])
  }

  @Test func `the answer to a poll is not part of the periodic report, which a later report replaces`() throws {
    var scene = Scene(.gpsd)
    scene.introduce("always")
    try scene.accept(scene.updatesTag)
    scene.ask("?POLL;")
    let outcome = scene.emulator.tick(at: scene.now + GPSDEmulator.pollTimeout)
    #expect(outcome.lines.map { $0.prefix(14) } == [#"{"class":"POLL"#])
    #expect(outcome.beat.map { $0.prefix(14) } == [#"{"class":"TPV""#])
  }

  @Test(arguments: [false, true])
  func `a client that wants sentences gets those of one epoch for a press, and reports only if it wants them, too`(
    json: Bool
  ) throws {
    var scene = Scene("?WATCH={\"enable\":true,\"nmea\":true,\"json\":\(json)}")
    try scene.arm()
    #expect(scene.said.contains { $0.contains(#""json":\#(json),"nmea":true,"raw":0"#) })
    let report: [Substring] = json ? ["{\"clas"] : []
    #expect(scene.received() == ["DEVICES", "WATCH"])
    #expect(scene.sentences(after: 1).last == Self.noFix)
    scene.give(.fixOnce)
    #expect(scene.sentences().map { $0.prefix(6) } == report + ["$GNRMC", "$GNGGA", "$GNGSA", "$GNGST"])
    scene.give(.fixOnce)
    #expect(scene.sentences(after: 1).map { $0.prefix(6) } == report + ["$GNRMC"])
  }

  @Test func `the reason for the end of a connection is reported to a client of gpsd, but not of a receiver`() {
    var scenes = [Scene(), Scene(.nmea)]
    for index in scenes.indices {
      scenes[index].tell(.error(LineError(.shuttingDown, "the gateway stops"), tag: nil, [:]))
    }
    #expect(scenes.map(\.said) == [[#"{"class":"ERROR","message":"the gateway stops"}"#], []])
  }

  // MARK: Clients of NMEA, which send no commands

  @Test func `a connection to a receiver is its request, and a press gives the sentences of one epoch`() throws {
    var scene = Scene(sentences: [.gga, .rmc])
    #expect(scene.ordered() == [.introduce(tag: "@hello")])
    #expect(scene.said.isEmpty, "a receiver does not greet")
    try scene.arm()
    #expect(scene.sentences(after: 1) == [Self.noFix])
    scene.give(.fixOnce)
    #expect(scene.sentences().map { $0.prefix(6) } == ["$GNGGA", "$GNRMC"])
    _ = scene.ordered()
    scene.give(.fixOnce)
    scene.wait(.seconds(600))
    #expect(scene.sentences() == [Self.noFix])
    #expect(scene.ordered().isEmpty, "a program in the background gets no fix of a later press")
  }

  @Test func `a standing authorization gives a client of a receiver the stream, also after a press`() throws {
    var scene = Scene(sentences: [.rmc])
    scene.introduce("always")
    #expect(scene.updatesTag != nil && scene.onceTag == nil)
    // A user allows use while the client is connected. Later an owner allows it always.
    for status in ["whenInUse", "always"] {
      var scene = Scene(sentences: [.rmc])
      scene.introduce()
      #expect(scene.onceTag != nil && scene.updatesTag == nil)
      scene.authorize(status)
      try scene.accept(scene.updatesTag)
      for _ in 0..<3 { scene.give(.fixUpdates) }
      #expect(scene.sentences().count == 3)
    }
  }

  @Test func `after the use of an app has ended, a press begins the stream again`() throws {
    var scene = Scene(sentences: [.rmc])
    scene.introduce("whenInUse")
    let tag = try scene.accept(scene.updatesTag)
    _ = scene.ordered()
    scene.end(tag, .notInUse)
    #expect(scene.updatesTag == nil)
    try scene.accept(scene.onceTag)
    scene.give(.fixOnce)
    #expect(scene.sentences().count == 1)
    #expect(try #require(scene.updatesTag) != tag)
  }

  // MARK: Requests that end while the client watches

  @Test(arguments: Dialect.allCases, [0, 100])
  func `a request that the kill switch ended is repeated once at the unlock`(dialect: Dialect, seconds: Int) throws {
    for isToldFirst in [true, false] {
      var (scene, tag) = try Scene.armed(dialect)
      if isToldFirst { scene.indicate("locked") }
      scene.end(tag, .locked)
      if !isToldFirst { scene.indicate("locked") }
      #expect(scene.ordered(after: seconds).isEmpty)
      scene.indicate("off")
      #expect(try scene.accept(scene.onceTag) != tag)
      _ = scene.sentences()
      scene.give(.fixOnce)
      #expect(!scene.sentences().isEmpty)
      _ = scene.ordered()
      scene.indicate("locked")
      scene.indicate("off")
      #expect(scene.ordered(after: 100).isEmpty, "a program in the background gets no fix of a later press")
    }
  }

  @Test(arguments: Dialect.allCases, [ErrorCode.expired, .indicator, .store, .noFix, .alreadyArmed])
  func `a request that ended for another reason is repeated after 10 s`(dialect: Dialect, code: ErrorCode) throws {
    var (scene, tag) = try Scene.armed(dialect)
    for _ in 0..<3 {
      scene.end(tag, code)
      #expect(scene.ordered(after: 9).isEmpty)
      #expect(!scene.said.contains { $0.contains("ERROR") }, "the client sees only that the fix is missing")
      scene.wait()
      let next = try #require(scene.onceTag)
      #expect(next != tag && scene.emulator.isHeld == (dialect == .polling))
      tag = next
      _ = scene.ordered()
    }
  }

  @Test(arguments: Dialect.allCases, [("60", 60), ("3600", 3600), ("1", 10), ("soon", 10)])
  func `a request that the gateway refuses for a time is not repeated before that time`(
    dialect: Dialect, refusal: (String, Int)
  ) throws {
    let (retryAfter, seconds) = refusal
    var (scene, tag) = try Scene.armed(dialect)
    for _ in 0..<2 {
      scene.tell(.error(LineError(.rateLimited, "no"), tag: tag, ["retry-after": retryAfter]))
      #expect(scene.ordered(after: seconds - 1).isEmpty)
      scene.wait()
      tag = try #require(scene.onceTag)
      _ = scene.ordered()
    }
  }

  @Test(arguments: Dialect.allCases)
  func `after a timeout only the client can repeat its request`(dialect: Dialect) throws {
    var (scene, tag) = try Scene.armed(dialect)
    scene.end(tag, .noPress)
    #expect(scene.ordered(after: 100).isEmpty)
  }

  // MARK: Denied apps

  @Test(arguments: Dialect.allCases, [("denied", ErrorCode.denied), ("denied", .expired), ("restricted", .restricted)])
  func `the request of a denied app is repeated when the app is allowed again, and not before`(
    dialect: Dialect, denial: (status: String, code: ErrorCode)
  ) throws {
    for isToldFirst in [true, false] {
      var (scene, tag) = try Scene.armed(dialect)
      if isToldFirst { scene.authorize(denial.status) }
      scene.end(tag, denial.code)
      if !isToldFirst { scene.authorize(denial.status) }
      #expect(scene.ordered(after: 100).isEmpty)
      // While the gateway is locked, it accepts no request.
      scene.indicate("locked")
      scene.authorize("notDetermined")
      #expect(scene.ordered().isEmpty)
      scene.authorize(denial.status)
      scene.indicate("off")
      scene.authorize("notDetermined")
      #expect(try scene.accept(scene.onceTag) != tag)
      // A client that has its fix does not wait again.
      scene.give(.fixOnce)
      _ = scene.ordered()
      scene.authorize(denial.status)
      scene.authorize("notDetermined")
      #expect(scene.ordered(after: 100).isEmpty)
    }
  }

  @Test(arguments: [Scene.watch, Scene.pollingWatch, "?WATCH={\"nmea\":true}", nil], ["denied", "restricted"])
  func `a client of a denied app asks for nothing, and receives the same as a client that waits`(
    watch: String?, status: String
  ) throws {
    var scenes = [status, "notDetermined"].map { status in
      var scene = watch.map { Scene($0) } ?? Scene(.nmea)
      scene.introduce(status)
      if let tag = scene.onceTag { scene.tell(.ok(tag: tag, [:])) }
      for _ in 0..<3 {
        scene.wait()
        if watch != nil { scene.ask("?POLL;") }
        scene.wait(.milliseconds(100))
        scene.said.append("after 100 ms")
        scene.wait(.milliseconds(1100))
      }
      return scene
    }
    #expect(scenes[0].onceTag == nil && scenes[0].updatesTag == nil && scenes[1].onceTag != nil)
    #expect(scenes[0].said == scenes[1].said)
    scenes[0].authorize("always")
    #expect(scenes[0].updatesTag != nil)
  }

  @Test func `a client that waits and begins to poll, or no longer polls, makes another request`() throws {
    var (scene, tag) = try Scene.armed(.gpsd)
    for watch in ["?WATCH={\"json\":false}", Scene.watch] {
      scene.ask(watch)
      #expect(scene.emulator.isPolled == (watch != Scene.watch))
      let next = try scene.accept(scene.onceTag)
      #expect(next != tag)
      tag = next
      #expect(
        scene.ordered() == [.perform(.cancel, tag: "@other"), .perform(.requestOnce(OnceRequest()), tag: tag)])
      scene.ask(watch)
      #expect(scene.ordered().isEmpty)
    }
  }

  @Test func `a client that has stopped watching is not armed again`() throws {
    var (scene, tag) = try Scene.armed(.gpsd)
    scene.end(tag, .locked)
    scene.ask("?WATCH={\"enable\":false}")
    #expect(scene.ordered(after: 100).isEmpty)
  }

  @Test(
    arguments: [
      (.nmea, .store, 10), (.gpsd, .store, 10), (.nmea, .locked, 1), (.gpsd, .locked, 1), (.gpsd, .notInUse, nil),
    ] as [(Dialect, ErrorCode, Int?)])
  func `updates that ended are requested again, but not by a client of gpsd if the use of its app ended`(
    dialect: Dialect, code: ErrorCode, seconds: Int?
  ) throws {
    for isAccepted in [code == .notInUse, true] {
      var scene = Scene(dialect)
      scene.introduce("always")
      let tag = try #require(scene.updatesTag)
      if isAccepted { try scene.accept(tag) }
      scene.end(tag, code)
      _ = scene.ordered()
      #expect(scene.ordered(after: (seconds ?? 100) - 1).isEmpty)
      scene.wait()
      #expect((scene.updatesTag != nil) == (seconds != nil))
    }
  }

  // MARK: Names of places

  @Test(arguments: Dialect.allCases, ["notDetermined", "always"])
  func `an app that receives names of places does not wait for a press`(dialect: Dialect, status: String) throws {
    var scene = Scene(dialect)
    _ = scene.sentences()
    scene.introduce(status, accuracy: "place")
    #expect(scene.said.map { $0.contains("names of places") } == (dialect == .nmea ? [] : [true]))
    #expect(scene.orders.contains { if case .warn = $0 { true } else { false } })
    for _ in 0..<100 { scene.wait() }
    #expect(scene.onceTag == nil && scene.updatesTag == nil)
    // The owner allows positions.
    scene.authorize(status, accuracy: "reduced")
    scene.wait()
    #expect((scene.onceTag ?? scene.updatesTag) != nil)
  }

  @Test(arguments: Dialect.allCases)
  func `an app that waits, and then may receive only names of places, waits no longer`(dialect: Dialect) throws {
    var (scene, tag) = try Scene.armed(dialect)
    var later = scene
    later.authorize("always", accuracy: "place")
    later.give(.fixOnce, #"{"place":"home","accuracy":"place"}"#)
    #expect(later.ordered(after: 100).isEmpty)
    scene.authorize("notDetermined", accuracy: "place")
    scene.end(tag, .expired)
    #expect(scene.ordered(after: 100).isEmpty)
    if dialect == .gpsd {
      scene.ask(Scene.watch)
      #expect(scene.sentences().last?.contains("names of places") == true && scene.ordered().isEmpty)
    }
    scene.authorize("notDetermined")
    scene.wait()
    #expect(scene.onceTag != nil)
  }

  @Test(arguments: [Dialect.gpsd, .nmea])
  func `no order of events gives a position without a request, or the same position twice`(dialect: Dialect) throws {
    for seed in 0..<400 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      func one<Value>(of values: Value...) -> Value { values.randomElement(using: &generator)! }
      let isApp = seed % 4 != 0
      var scene = dialect == .gpsd ? Scene(isApp: isApp) : Scene(isApp: isApp, sentences: NMEASentence.usual)
      // A client of NMEA requests a fix when it connects.
      var (asked, accepted, given) = (dialect == .gpsd ? 0 : 1, Set<String>(), 0)
      for _ in 0..<60 {
        let before = scene.said.count
        var allowed = 0
        switch Int.random(in: 0..<14, using: &generator) {
        case 0, 1:
          guard dialect == .gpsd else { break }
          scene.ask(one(of: "?WATCH={\"json\":true}", "?WATCH={}", "?WATCH={\"nmea\":true}"))
          asked += 1
        case 2: if dialect == .gpsd { scene.ask("?WATCH={\"enable\":false}") }
        case 3: if dialect == .gpsd { scene.ask("?POLL;") }
        case 4: scene.introduce(one(of: "denied", "whenInUse", "notDetermined"))
        case 5: if let tag = scene.onceTag { accepted.insert(try scene.accept(tag)) }
        case 6: if let tag = scene.updatesTag { try scene.accept(tag) }
        case 7:
          guard let tag = scene.onceTag else { break }
          scene.end(tag, one(of: .noPress, .denied, .locked, .expired, .noFix))
          asked += 1
        case 8:
          guard let tag = scene.updatesTag else { break }
          scene.end(tag, one(of: .notInUse, .locked, .expired))
          asked += 1
        case 9:
          allowed = 1
          scene.give(.fixOnce)
          // Under a standing authorization the fix of a press begins the stream.
          if dialect == .nmea { asked += 1 }
        case 10:
          allowed = 2
          scene.give(.fixUpdates)
        case 11: scene.indicate(one(of: "locked", "off"))
        case 12:
          scene.authorize(one(of: "denied", "whenInUse", "notDetermined"), accuracy: one(of: "full", "place"))
          asked += 1
        default: scene.wait(.milliseconds(Int64.random(in: 0...12_000, using: &generator)))
        }
        let positions = scene.said[before...].count { $0.contains("\"lat\"") }
        let sentences = scene.said[before...].count { $0.contains("GGA") }
        #expect(sentences <= 1 && sentences <= allowed, "the sentences of one epoch")
        #expect(positions <= allowed, "an old position is not kept, and a press gives one position")
        if allowed == 1, positions + sentences > 0 { given += 1 }
      }
      #expect(given <= accepted.count, "a request gives one fix")
      let requests = scene.orders.count {
        switch $0 {
        case .perform(.requestOnce, _), .perform(.startUpdates, _): true
        case .introduce, .perform, .fetch, .warn: false
        }
      }
      #expect(requests <= 2 * asked)
      if !isApp { #expect(scene.orders.isEmpty && given == 0) }
    }
  }
}
