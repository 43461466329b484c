import Base
import Cloaking
import GNSS
import LineProtocol
import SeededNumbers
import StateStore
import Testing

@testable import Authorization
@testable import Disclosure

/// A device whose receiver and machine can have a false time, and whose daemon and machine can be restarted.
private struct Target {
  private(set) var scene: Scene
  private let accuracy: FixAccuracy
  /// The monotonic time.
  private(set) var now = start.monotonic
  /// The true time at the monotonic time zero of the present boot.
  private var origin = start.utc(at: MonotonicInstant(nanoseconds: 0))
  private var boot = 1
  /// The time by which the receiver and the machine's clock are ahead.
  var ahead = Duration.zero
  private var saved: (memory: [UInt8]?, places: [UInt8])
  /// The seconds during which the machine was on.
  private(set) var on = 0
  /// All answers, without their times, and the values of `on`.
  private(set) var answers: [(answer: String, on: Int)] = []

  var differentAnswers: Set<String> { Set(answers.map(\.answer)) }

  init(_ accuracy: FixAccuracy) throws {
    self.accuracy = accuracy
    scene = try Scene(.always, accuracy)
    var places = SealedPlaces(boot: "1")
    for (name, metres) in [("harbour", 0.0), ("pier", 9000), ("town", 20_000)] {
      let centre = Coordinate.here.moved(north: metres)
      _ = try places.change(.add(name: name, radius: 300, centre: centre), nil, at: start.monotonic)
      _ = try places.change(.allow(app: "a", names: [name]), nil, at: start.monotonic)
    }
    saved = (nil, places.encoded)
    scene.gate.adopt(places)
  }

  /// The time that the receiver and the machine's clock show.
  private func utc(at instant: MonotonicInstant) -> UTCTime {
    ClockReading(monotonic: MonotonicInstant(nanoseconds: 0), utc: origin).utc(at: instant + ahead)
  }

  private var reading: ClockReading { ClockReading(monotonic: now, utc: utc(at: now)) }

  /// Sets the time that the receiver and the machine's clock show.
  mutating func set(_ time: UTCTime) {
    ahead += .nanoseconds(time.nanosecondsSince1970 - utc(at: now).nanosecondsSince1970)
  }

  /// Lets 20 s pass, in which the device stays at a position.
  /// - Parameter hasDate: Whether the receiver sends its time.
  mutating func stay(at metres: Double, hasDate: Bool = true) {
    for _ in 0..<20 {
      now = now + .seconds(1)
      on += 1
      let time = hasDate ? utc(at: now) : nil
      let fix = SealedFix(Coordinate.here.moved(north: metres), arrived: now, time: time)
      scene.gate.watchPlaces(fix)
      scene.fix = fix
      pass()
    }
  }

  private mutating func pass() {
    scene.gate.advanceCloak(scene.fix, isLocked: false, isWanted: true, at: reading)
    scene.gate.advancePlaces(scene.fix, isLocked: false, isWanted: true, at: reading)
    save(scene.gate.drainSlots())
  }

  private mutating func save(_ memories: [SealedMemory]) {
    for memory in memories {
      if memory.name == SealedPlaces.name { saved.places = memory.bytes } else { saved.memory = memory.bytes }
    }
  }

  /// Asks by a press, or under a standing authorization. Returns whether the app received an answer.
  @discardableResult
  mutating func ask(byPress: Bool = true) throws -> Bool {
    let press = Press(button: "main", down: now - .milliseconds(200), up: now - .milliseconds(100))
    try scene.replaceGrant(press: byPress ? press : nil, notBefore: now - .seconds(2), expires: now + .seconds(60))
    scene.journal.clear()
    guard scene.failure(of: .once(try scene.once()), at: reading) == nil else { return false }
    answers.append((scene.sent.replacing(/"time":"[^"]*"/, with: ""), on))
    if accuracy == .place {
      saved.places = try scene.gate.places.get().encoded
    } else {
      saved.memory = try scene.gate.cloak.get().memory.encoded()
    }
    return true
  }

  /// Restarts the daemon with the saved state.
  ///
  /// - Parameter isStopped: Whether the daemon stops by itself, as opposed to a crash or a power cut.
  mutating func restart(isStopped: Bool = false) throws {
    if isStopped { save(scene.gate.drainSlots(isStopping: true)) }
    let memory = try saved.memory.map { try #require(Cloak.Memory(encoded: $0)) } ?? Cloak.Memory()
    scene.gate = DisclosureGate(
      try Scene.cloak(memory, boot: "\(boot)"),
      places: .success(try #require(SealedPlaces(encoded: saved.places, boot: "\(boot)"))),
      indicationTime: indicationTime, isSimulated: false)
    scene.fix = nil
  }

  /// Restarts the machine with the saved state.
  mutating func reboot(isStopped: Bool = false) throws {
    if isStopped { save(scene.gate.drainSlots(isStopping: true)) }
    origin = utc(at: now - ahead)
    now = MonotonicInstant(nanoseconds: 10_000_000_000)
    on += 10
    boot += 1
    try restart()
  }
}

/// Attempts to get a second name or approximate position in a slot. An attacker may send false times to the receiver,
/// set the clock of the machine, and restart the daemon and the machine.
@Suite struct SlotAttackTests {
  private static func minutes(_ count: Int, after time: UTCTime = start.utc) -> UTCTime {
    UTCTime(nanosecondsSince1970: time.nanosecondsSince1970 + Int64(count) * 60_000_000_000)
  }

  @Test(arguments: [FixAccuracy.reduced, .place])
  func `a false time of the receiver gives no second answer in a slot`(accuracy: FixAccuracy) throws {
    var target = try Target(accuracy)
    for step in 0..<8 {
      // Whenever the gateway reads the time to find the end of a slot, the next quarter hour begins 20 s later.
      target.set(UTCTime(nanosecondsSince1970: Self.minutes(7 + 15 * step).nanosecondsSince1970 + 9_500_000_000))
      target.stay(at: step % 2 == 0 ? 0 : 9000)
      try target.ask()
    }
    #expect(target.differentAnswers.count == 1)
  }

  @Test(arguments: [FixAccuracy.reduced, .place], [false, true])
  func `a date in the future and a restart of the daemon give no second answer in a slot`(
    accuracy: FixAccuracy, hasDate: Bool
  ) throws {
    var target = try Target(accuracy)
    for step in 0..<12 {
      target.stay(at: step % 2 == 0 ? 0 : 9000, hasDate: hasDate)
      #expect(try target.ask())
      target.ahead += .seconds(2 * 3600)
      try target.restart()
    }
    #expect(target.differentAnswers.count == 1)
  }
  @Test(arguments: [FixAccuracy.reduced, .place], [false, true])
  func `restarts of the machine give no second answer within 15 minutes after the boot, only none`(
    accuracy: FixAccuracy, isStopped: Bool
  ) throws {
    var target = try Target(accuracy)
    target.stay(at: 0)
    #expect(try target.ask())
    for step in 0..<20 {
      target.ahead += .seconds(2 * 3600)
      // When the daemon stops, it saves the time that has passed.
      try target.reboot(isStopped: isStopped && step < 3)
      target.stay(at: step % 2 == 0 ? 9000 : 0)
      #expect(try target.ask() == (step % 2 != 0))
    }
    #expect(target.differentAnswers.count == 1)
  }

  @Test(arguments: [FixAccuracy.reduced, .place], [false, true])
  func `a slot that ended before a power cut does not delay the next answer`(
    accuracy: FixAccuracy, isAnsweredAgain: Bool
  ) throws {
    var target = try Target(accuracy)
    target.stay(at: 0)
    #expect(try target.ask())
    // The first slot lasts 30 minutes at most.
    for _ in 0..<95 { target.stay(at: 0) }
    if isAnsweredAgain { #expect(try target.ask()) }
    try target.reboot()
    target.stay(at: 9000)
    #expect(try target.ask() == !isAnsweredAgain)
  }

  @Test(arguments: [FixAccuracy.reduced, .place])
  func `a gateway without a memory gives one answer, and each answer is saved`(accuracy: FixAccuracy) throws {
    var target = try Target(accuracy)
    for step in 0..<6 {
      target.stay(at: step % 2 == 0 ? 0 : 9000)
      if step > 2 { #expect(try target.ask()) }
      try target.restart()
    }
    #expect(target.differentAnswers.count == 1)
  }

  @Test(arguments: 0..<15)
  func `no app receives three names within 15 minutes, whatever clocks and restarts do`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var target = try Target(.place)
    var metres = 0.0
    for _ in 0..<1500 {
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<4: target.ahead += .seconds(Int.random(in: -5000...10_000, using: &random))
      case 4, 5: try target.restart(isStopped: Bool.random(using: &random))
      case 6: try target.reboot(isStopped: Bool.random(using: &random))
      case 7..<16: metres = [0, 9000, 20_000, 40_000].randomElement(using: &random)!
      default:
        target.stay(at: metres, hasDate: Int.random(in: 0..<4, using: &random) > 0)
        try target.ask(byPress: Bool.random(using: &random))
      }
    }
    // The last and the first times of each name, while it did not change.
    var names: [(name: String, first: Int, last: Int)] = []
    for (name, on) in target.answers {
      if names.last?.name == name { names[names.count - 1].last = on } else { names.append((name, on, on)) }
    }
    #expect(names.count > 5)
    #expect(zip(names, names.dropFirst(2)).allSatisfy { $1.first - $0.last >= 900 })
  }
}
