import Base
import GNSS
import LineProtocol
import Ports
import StateStore
import Testing

@testable import Authorization
@testable import Disclosure
@testable import Estimation

/// Apps that receive the names of places.
@Suite struct PlaceTests {
  /// A scene with the place `harbour` around `Coordinate.here`, and a device that was there for 12 s.
  private func scene(
    isByPress: Bool = true, knows: Bool = true, metres: Double = 0, transport: Transport = .unix
  ) throws -> Scene {
    var scene = try Scene(.always, .place, isByPress: isByPress, transport: transport)
    var places = try SealedPlaces.harbour()
    if knows { _ = try places.change(.allow(app: "a", names: ["harbour"]), nil, at: start.monotonic) }
    scene.gate.adopt(places)
    stay(&scene, at: metres, until: start.monotonic - .milliseconds(500))
    return scene
  }

  private func stay(_ scene: inout Scene, at metres: Double, until end: MonotonicInstant) {
    for second in (0...12).reversed() {
      let fix = SealedFix(Coordinate.here.moved(north: metres), arrived: end - .seconds(second))
      scene.gate.watchPlaces(fix)
      scene.fix = fix
    }
  }

  /// Begins the slots, stays until the next one begins, and passes it.
  private func passSlot(_ scene: inout Scene, at metres: Double = 0, isLocked: Bool = false) throws -> ClockReading {
    if scene.gate.nextDeadline == nil { scene.gate.advancePlaces(nil, isLocked: isLocked, isWanted: true, at: start) }
    let boundary = try #require(scene.gate.nextDeadline)
    stay(&scene, at: metres, until: boundary - .milliseconds(200))
    let now = ClockReading(monotonic: boundary, utc: start.utc(at: boundary))
    let isBoundary = scene.gate.advancePlaces(scene.fix, isLocked: isLocked, isWanted: true, at: now)
    #expect(isBoundary)
    return now
  }

  private func standing(_ scene: inout Scene, at now: ClockReading) throws {
    try scene.replaceGrant(notBefore: now.monotonic - .seconds(60), expires: now.monotonic + .seconds(60))
  }

  @Test(arguments: [(true, 0.0, "harbour"), (true, 5000, "away"), (false, 0, "away")])
  func `an answer has the name and the quarter hour, and nothing else`(
    knows: Bool, metres: Double, name: String
  ) throws {
    var scene = try scene(knows: knows, metres: metres)
    #expect(scene.failure(of: .once(try scene.once())) == nil)
    #expect(scene.sent == #"{"time":"2026-11-21T07:15:00.000Z","place":"\#(name)","accuracy":"place"}"#)
    let entries = scene.steps.compactMap { step -> DisclosureEntry? in
      if case .open(let entry, isSealing: true) = step { entry } else { nil }
    }
    #expect(entries.map(\.accuracy) == [.place], "the answer is saved with the entry, which has no name")
  }

  @Test func `without any place an app receives away, as if there were places that it may not know`() throws {
    var empty = try Scene(.always, .place)
    stay(&empty, at: 0, until: start.monotonic - .milliseconds(500))
    #expect(empty.failure(of: .once(try empty.once())) == nil)
    var unknown = try scene(knows: false)
    #expect(unknown.failure(of: .once(try unknown.once())) == nil)
    #expect(empty.sent == unknown.sent && empty.sent.contains(#""place":"away""#))
    let now = try passSlot(&empty)
    try standing(&empty, at: now)
    #expect(empty.failure(of: .once(try empty.once()), at: now) == nil)
  }

  @Test(arguments: [FixAccuracy.full, .reduced])
  func `an app may ask for the name instead of a position`(recorded: FixAccuracy) throws {
    var scene = try scene()
    scene.authorization.store(AppRecord(app: a, status: scene.authorization.status(of: a), accuracy: recorded))
    #expect(scene.failure(of: .once(try scene.once(OnceRequest(accuracy: .place)))) == nil)
    #expect(scene.sent.contains(#""place":"harbour""#) && !scene.sent.contains("lat"))
  }

  @Test(arguments: FixAccuracy.allCases)
  func `an app with names receives no position, whatever it asks for`(requested: FixAccuracy) throws {
    var scene = try scene()
    #expect(scene.failure(of: .once(try scene.once(OnceRequest(accuracy: requested)))) == nil)
    #expect(scene.sent.contains(#""accuracy":"place""#) && !scene.sent.contains("lat"))
  }

  @Test func `a press waits for fixes over 10 s, after the down edge`() throws {
    var scene = try Scene(.always, .place)
    scene.gate.adopt(try SealedPlaces.harbour())
    for second in 0...10 {
      #expect(scene.failure(of: .once(try scene.once()), at: start + .seconds(second)) == .pending)
      let fix = SealedFix(arrived: start.monotonic + .seconds(second))
      scene.gate.watchPlaces(fix)
      scene.fix = fix
    }
    #expect(scene.failure(of: .once(try scene.once()), at: start + .seconds(10)) == nil)
  }

  /// The arrival of the latest fix, counted from the earliest arrival that the press permits, the maximum age in
  /// milliseconds, and whether the fix gives a name.
  static let freshness: [(arrived: Duration, maximumAge: Int?, isFresh: Bool)] = [
    (.zero, nil, true), (.nanoseconds(-1), nil, false), (.zero, 60_000, true), (.zero, 1000, false),
  ]

  @Test(arguments: freshness)
  func `a press gives a name only if the latest fix is as fresh as for a position`(
    arrived: Duration, maximumAge: Int?, isFresh: Bool
  ) throws {
    var scene = try Scene(.always, .place)
    let notBefore = try #require(scene.grant).notBefore
    stay(&scene, at: 0, until: notBefore + arrived)
    let once = try scene.once(OnceRequest(maximumAge: maximumAge))
    #expect(scene.failure(of: .once(once)) == (isFresh ? nil : .pending))
  }

  /// The time since the beginning of a slot, the time until the clock of the receiver shows the quarter hour of the
  /// slot, and whether the answer has this quarter hour.
  static let lateClocks: [(since: Duration, missing: Duration, isNew: Bool)] = [
    (.zero, .nanoseconds(1), true), (.zero, .seconds(5), true), (.zero, .seconds(5) + .nanoseconds(1), false),
    (.seconds(5), .seconds(5), true), (.seconds(5) + .nanoseconds(1), .nanoseconds(1), false),
  ]

  @Test(arguments: lateClocks)
  func `in the first 5 s of a slot, a receiver's clock that is at most 5 s late gives the quarter hour of the slot`(
    since: Duration, missing: Duration, isNew: Bool
  ) throws {
    var places = SealedPlaces(boot: "1")
    _ = places.advance(to: start.monotonic, utc: start.utc, isLocked: false)
    let begin = try #require(places.slotEnd)
    for second in (0...12).reversed() { places.watch(SealedFix(arrived: begin - .seconds(second))) }
    _ = places.advance(to: begin, utc: start.utc(at: begin), isLocked: false)
    let now = ClockReading(monotonic: begin + since, utc: start.utc(at: begin - missing))
    let answer = places.answer(to: a, isByPress: true, at: now)
    #expect(answer?.time == start.utc(at: isNew ? begin : begin - .seconds(900)))
  }

  @Test func `a standing request is answered from the beginning of the slot`() throws {
    var scene = try scene(isByPress: false)
    try standing(&scene, at: start)
    scene.gate.advancePlaces(scene.fix, isLocked: false, isWanted: false, at: start)
    #expect(scene.gate.nextDeadline == nil, "no app asked for a name")
    #expect(scene.failure(of: .once(try scene.once())) == .pending)
    #expect(scene.gate.isPlaceWanted)
    var now = try passSlot(&scene)
    #expect(!scene.gate.isPlaceWanted)
    stay(&scene, at: 5000, until: now.monotonic + .seconds(30))
    now = now + .seconds(31)
    try standing(&scene, at: now)
    #expect(scene.failure(of: .once(try scene.once()), at: now) == nil)
    #expect(scene.sent == #"{"time":"2026-11-21T07:30:00.000Z","place":"harbour","accuracy":"place"}"#)
  }

  /// The state of the receiver.
  enum Reception: CaseIterable { case present, absent, old, elsewhere }

  @Test(arguments: [Kind.once, .update], [true, false])
  func `without a press the answer is the same whatever the receiver does`(kind: Kind, isKnown: Bool) throws {
    var results: [Reception: [Step]] = [:]
    for reception in Reception.allCases {
      var scene = try scene(isByPress: false)
      let now = isKnown ? try passSlot(&scene) + .seconds(40) : start
      switch reception {
      case .present: stay(&scene, at: 0, until: now.monotonic)
      case .absent: scene.fix = nil
      case .old: scene.fix = SealedFix(arrived: now.monotonic - .seconds(600))
      case .elsewhere: stay(&scene, at: 7000, until: now.monotonic)
      }
      try standing(&scene, at: now)
      #expect(scene.failure(of: try scene.request(kind), at: now) == (isKnown ? nil : .pending), "\(reception)")
      results[reception] = scene.steps
    }
    #expect(results[.present]?.contains { $0.isBytes } == isKnown)
    #expect(Set(results.values).count == 1)
  }

  @Test(arguments: [true, false])
  func `after a suspension, a press at another place does not get the earlier answer of the slot`(isElsewhere: Bool)
    throws
  {
    var scene = try scene()
    var now = try passSlot(&scene) + .seconds(40)
    func press() throws {
      let (down, up) = (now.monotonic - .milliseconds(300), now.monotonic - .milliseconds(200))
      let press = Press(button: "main", down: down, up: up)
      try scene.replaceGrant(press: press, notBefore: down - .seconds(1), expires: up + .seconds(60))
    }
    stay(&scene, at: 0, until: now.monotonic)
    try press()
    #expect(scene.failure(of: .once(try scene.once()), at: now) == nil)
    scene.gate.noteSuspension(at: now)
    now = now + .seconds(60)
    stay(&scene, at: isElsewhere ? 5000 : 0, until: now.monotonic)
    try press()
    #expect(scene.failure(of: .once(try scene.once()), at: now) == (isElsewhere ? .pending : nil))
  }

  @Test func `updates come once in each slot, at its beginning`() throws {
    var scene = try scene()
    let stream = scene.stream()
    var now = try passSlot(&scene)
    #expect(scene.sent(to: stream, at: now) == .place)
    for second in [1, 60, 800] {
      stay(&scene, at: 5000, until: now.monotonic + .seconds(second))
      #expect(scene.sent(to: stream, at: now + .seconds(second)) == nil)
    }
    #expect(stream.nextQuarterHour == scene.gate.nextDeadline)
    now = try passSlot(&scene, at: 5000)
    #expect(scene.sent(to: stream, at: now) == .place)
    #expect(scene.sent.matches(of: /place":"(harbour|away)"/).map { String($0.1) } == ["harbour", "away"])
    #expect(scene.sent.matches(of: /"time":"[^"]*T(07:[0-9]{2}):00.000Z"/).map { String($0.1) } == ["07:30", "07:45"])
  }

  @Test func `updates with an interval of an hour come in every fourth slot`() throws {
    var scene = try scene()
    let stream = scene.stream(UpdatesRequest(interval: 3_600_000))
    var sent: [FixAccuracy?] = []
    for _ in 0..<6 {
      let now = try passSlot(&scene)
      sent.append(scene.sent(to: stream, at: now))
    }
    #expect(sent == [.place, nil, nil, nil, .place, nil])
  }

  @Test func `a disclosure after the end of a slot waits until the gateway has passed the boundary`() throws {
    var scene = try scene()
    #expect(scene.failure(of: .once(try scene.once())) == nil)
    let boundary = try #require(scene.gate.nextDeadline)
    let late = start + (boundary + .seconds(20) - start.monotonic)
    stay(&scene, at: 0, until: late.monotonic)
    try standing(&scene, at: late)
    let last = start + (boundary - .nanoseconds(1) - start.monotonic)
    #expect(scene.failure(of: .once(try scene.once()), at: last) == nil)
    for now in [last + .nanoseconds(1), late] {
      #expect(scene.failure(of: .once(try scene.once()), at: now) == .pending)
    }
    var hasEnded = scene.gate.advancePlaces(scene.fix, isLocked: false, isWanted: false, at: late)
    #expect(hasEnded && !scene.gate.isPlaceWanted)
    hasEnded = scene.gate.advancePlaces(scene.fix, isLocked: false, isWanted: false, at: late)
    #expect(!hasEnded)
  }

  @Test func `nothing is evaluated at the beginning of a slot while the gateway is locked`() throws {
    var scene = try scene(isByPress: false)
    let now = try passSlot(&scene, isLocked: true)
    try standing(&scene, at: now)
    #expect(scene.failure(of: .once(try scene.once()), at: now) == .pending)
  }

  @Test func `places of an earlier version count as places of an earlier boot`() throws {
    var scene = try scene()
    #expect(scene.failure(of: .once(try scene.once())) == nil)
    let bytes = try scene.gate.places.get().encoded
    // An earlier version has no slot before the places.
    let header = 1 + 19
    var places = try #require(SealedPlaces(encoded: Array(bytes.dropFirst(header)), boot: "1"))
    #expect(places.isAnswered && places.slotEnd == nil)
    let hasContinued = places.advance(
      to: MonotonicInstant(nanoseconds: 899_000_000_000), utc: start.utc, isLocked: false)
    #expect(hasContinued && places.slotEnd == MonotonicInstant(nanoseconds: 900_000_000_000))
    for length in 0..<bytes.count { #expect(SealedPlaces(encoded: Array(bytes[..<length]), boot: "1") == nil) }
  }

  @Test func `the end of a slot with an answer is saved, and so is the time that has passed when the daemon stops`()
    throws
  {
    var scene = try scene()
    #expect(scene.gate.drainSlots(isStopping: true).isEmpty)
    #expect(scene.failure(of: .once(try scene.once())) == nil)
    scene.gate.advancePlaces(nil, isLocked: false, isWanted: true, at: start + .seconds(600))
    #expect(scene.gate.drainSlots().isEmpty)
    let stopped = try #require(scene.gate.drainSlots(isStopping: true).first)
    let boundary = try #require(scene.gate.nextDeadline)
    scene.gate.advancePlaces(nil, isLocked: false, isWanted: true, at: start + (boundary - start.monotonic))
    let ended = try #require(scene.gate.drainSlots().first)
    #expect(scene.gate.drainSlots().isEmpty && stopped.name == SealedPlaces.name && ended.name == SealedPlaces.name)
    for (memory, rest) in [(stopped, Duration.seconds(750)), (ended, .zero)] {
      var places = try #require(SealedPlaces(encoded: memory.bytes, boot: "2"))
      _ = places.advance(to: MonotonicInstant(nanoseconds: 0), utc: start.utc, isLocked: false)
      // Without an answer, a slot begins that ends at the quarter hour.
      #expect(places.slotEnd == MonotonicInstant(nanoseconds: 0) + (rest == .zero ? .seconds(450) : rest))
    }
  }

  @Test(arguments: Transport.allCases.filter(\.isForWatching))
  func `a client whose protocol has only positions receives nothing`(transport: Transport) throws {
    var scene = try scene(transport: transport)
    #expect(scene.failure(of: .once(try scene.once())) == .placeless)
    #expect(scene.failure(of: .update(scene.update())) == .placeless)
    #expect(scene.steps == [])
  }

  @Test func `without readable places an app receives nothing`() throws {
    var scene = try Scene(.always, .place)
    scene.gate.places = .failure(PlacesUnavailable("the seal is broken"))
    #expect(scene.failure(of: .once(try scene.once())) == .places("the seal is broken"))
    #expect(scene.steps == [])
  }

  // MARK: Owners

  @Test func `a place at the present position needs a fresh and accurate fix`() throws {
    var places = SealedPlaces(boot: "1")
    let fix = SealedFix(arrived: start.monotonic)
    for (fix, radius, age) in [
      (fix, 300, .seconds(60) + .nanoseconds(1)), (nil, 300, .zero), (fix, fix.fix.horizontalAccuracy - 0.1, .zero),
    ] as [(SealedFix?, Double, Duration)] {
      let command = PlaceCommand.add(name: "harbour", radius: radius, centre: nil)
      let error = #expect(throws: LineError.self) { try places.change(command, fix, at: start.monotonic + age) }
      #expect(error?.code == .noFix && places.ownerJSON == [], "\(radius), \(age)")
    }
    let accurate = Fix(
      time: nil, arrived: start.monotonic, coordinate: .here, horizontalAccuracy: 300, mode: .twoDimensional)
    let least = SealedFix(ReceiverPipeline.Output(fix: accurate, satellites: [], began: accurate.arrived))
    _ = try places.change(.add(name: "harbour", radius: 300, centre: nil), least, at: start.monotonic + .seconds(60))
    #expect(places.ownerJSON == [#"{"name":"harbour","radius":300.0,"apps":""}"#])
  }

  @Test func `there can be 32 places, and a further place is an error`() throws {
    var places = SealedPlaces(boot: "1")
    func add(_ name: String) throws {
      _ = try places.change(.add(name: name, radius: 300, centre: .here), nil, at: start.monotonic)
    }
    for number in 1...32 { try add("place-\(number)") }
    let error = #expect(throws: LineError.self) { try add("harbour") }
    #expect(error?.code == .tooMany && places.ownerJSON.count == 32)
    try add("place-32")
  }

  @Test func `a change names the apps that lose a name`() throws {
    var places = try SealedPlaces.harbour()
    let now = start.monotonic
    #expect(try places.change(.allow(app: "a", names: ["harbour"]), nil, at: now) == [])
    #expect(try places.change(.add(name: "harbour", radius: 500, centre: .here), nil, at: now) == [])
    #expect(places.apps == [a])
    #expect(throws: LineError.self) { _ = try places.change(.deny(app: "a", names: ["bay"]), nil, at: now) }
    #expect(try places.change(.deny(app: "a", names: []), nil, at: now) == [a])
    #expect(places.apps == [])
    _ = try places.change(.allow(app: "a", names: ["harbour"]), nil, at: now)
    #expect(try places.change(.remove(name: "harbour"), nil, at: now) == [a])
    #expect(throws: LineError.self) { _ = try places.change(.remove(name: "harbour"), nil, at: now) }
    #expect(throws: LineError.self) { _ = try places.change(.allow(app: "a", names: ["harbour"]), nil, at: now) }
  }
}
