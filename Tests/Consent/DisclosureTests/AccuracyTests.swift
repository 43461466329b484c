import Base
import Cloaking
import GNSS
import LineProtocol
import RecordingClients
import SeededNumbers
import StateStore
import Testing

@testable import Authorization
@testable import Disclosure

/// The accuracy of a fix is the lower one of the requested accuracy and the allowed accuracy.
@Suite struct AccuracyTests {
  /// The accuracy that a session has in addition to the record of the app.
  enum Allowance: CaseIterable { case none, preciseOnce, fullOnce, reducedOnce }

  struct Combination: CustomTestStringConvertible {
    var option: FixAccuracy?
    var recorded: FixAccuracy
    var allowance: Allowance
    var isByPress: Bool

    var isFull: Bool {
      guard option != .reduced else { return false }
      switch allowance {
      case .none: return recorded == .full
      case .preciseOnce, .fullOnce: return true
      case .reducedOnce: return false
      }
    }

    var testDescription: String { "\(option?.rawValue ?? "no option") \(recorded) \(allowance) press: \(isByPress)" }
  }

  static let combinations: [Combination] = [nil, FixAccuracy.full, .reduced].flatMap { option in
    [FixAccuracy.full, .reduced].flatMap { recorded in
      Allowance.allCases.flatMap { allowance in
        [true, false].map { Combination(option: option, recorded: recorded, allowance: allowance, isByPress: $0) }
      }
    }
  }

  private func scene(_ combination: Combination) throws -> (Scene, ClockReading) {
    var scene = try Scene(.always, combination.recorded, isByPress: combination.isByPress)
    switch combination.allowance {
    case .none: break
    case .preciseOnce: scene.authorization.sessions[session]?.isPreciseOnce = true
    case .fullOnce: scene.authorization.sessions[session]?.allowedOnce = .full
    case .reducedOnce: scene.authorization.sessions[session]?.allowedOnce = .reduced
    }
    let now = try scene.putNodeInForce()
    scene.fix = SealedFix(arrived: now.monotonic - .milliseconds(100))
    // The grant is as fresh as the slot needs.
    let press = Press(button: "main", down: now.monotonic - .seconds(1), up: now.monotonic - .milliseconds(900))
    try scene.replaceGrant(
      press: combination.isByPress ? press : nil, notBefore: now.monotonic - .seconds(3),
      expires: now.monotonic + .seconds(60))
    return (scene, now)
  }

  /// Checks the accuracy of the sent fix and of its log entry.
  private func check(_ scene: Scene, isFull: Bool) {
    let latitude = #""lat":48.1374"#
    // An approximate fix is at most a few kilometres away.
    for degrees in [#""lat":48."#, #""lon":11."#] { #expect(scene.sent.contains(degrees)) }
    #expect(scene.sent.contains(isFull ? #""accuracy":"full""# : #""accuracy":"reduced""#))
    #expect(scene.sent.contains(latitude) == isFull)
    for property in [#""alt""#, #""speed""#, #""age_ms""#, #""fix""#] where !isFull {
      #expect(!scene.sent.contains(property), "an approximate fix has \(property)")
    }
    let logged = scene.steps.compactMap { step in
      switch step {
      case .open(let entry, let isSealing), .openInterval(let entry, let isSealing): (entry.accuracy, isSealing)
      default: nil
      }
    }
    #expect(logged.map(\.0) == [isFull ? .full : .reduced])
    #expect(logged.map(\.1) == [!isFull], "an approximate fix saves the cloak's memory with its entry")
  }

  @Test(arguments: combinations)
  func `a one-time fix is full only if the app asked for no less and may have it`(combination: Combination) throws {
    var (scene, now) = try scene(combination)
    #expect(scene.failure(of: .once(try scene.once(OnceRequest(accuracy: combination.option))), at: now) == nil)
    check(scene, isFull: combination.isFull)
  }

  @Test(arguments: combinations.filter { $0.option == nil && $0.isByPress })
  func `updates are full only if the session may have that`(combination: Combination) throws {
    var (scene, now) = try scene(combination)
    #expect(scene.failure(of: .update(scene.update()), at: now) == nil)
    check(scene, isFull: combination.isFull)
  }

  @Test(arguments: combinations.filter { $0.option == nil && $0.isByPress })
  func `a full fix of the outbox goes only to a session that may have it`(combination: Combination) throws {
    var (scene, _) = try scene(combination)
    let failure = scene.failure(of: .publication(scene.publication()))
    #expect((failure == nil) == combination.isFull)
    #expect(scene.hasBytes == combination.isFull)
  }

  @Test func `an approximate fix for a press is computed from the position of the press`() throws {
    var (scene, now) = try scene(Combination(option: .reduced, recorded: .full, allowance: .none, isByPress: true))
    scene.fix = nil
    #expect(scene.failure(of: .once(try scene.once(OnceRequest(accuracy: .reduced))), at: now) == .pending)
    #expect(scene.steps == [])
  }

  // MARK: Invariant 4: an approximate fix without a press reveals no data of the receiver

  /// The state of the receiver.
  enum Reception: CaseIterable { case present, absent, old, elsewhere, dateless, attacked }

  private func fix(_ reception: Reception, at now: MonotonicInstant) -> SealedFix? {
    switch reception {
    case .present: SealedFix(arrived: now - .milliseconds(100))
    case .absent: nil
    case .old: SealedFix(arrived: now - .seconds(600))
    case .elsewhere: SealedFix(Coordinate.here.moved(north: 40_000), arrived: now - .milliseconds(100))
    case .dateless: SealedFix(arrived: now - .milliseconds(100), hasDate: false)
    case .attacked: SealedFix(arrived: now - .milliseconds(100), suspicion: .spoofing)
    }
  }

  @Test(arguments: [Kind.once, .update], [true, false])
  func `an approximate fix without a press is the same whatever the receiver does`(kind: Kind, hasNode: Bool) throws {
    var results: [Reception: [Step]] = [:]
    for reception in Reception.allCases {
      var scene = try Scene(.always, .reduced, isByPress: false)
      let now = hasNode ? try scene.putNodeInForce() : start
      try scene.replaceGrant(notBefore: now.monotonic - .seconds(60), expires: now.monotonic + .seconds(60))
      scene.fix = fix(reception, at: now.monotonic)
      let failure = scene.failure(of: try scene.request(kind), at: now)
      #expect(failure == (hasNode ? nil : .pending), "\(reception)")
      results[reception] = scene.steps
    }
    #expect(results[.present]?.contains { $0.isBytes } == hasNode)
    #expect(Set(results.values).count == 1)
  }

  @Test(arguments: [Kind.once, .update])
  func `an attack on the signals changes full answers only`(kind: Kind) throws {
    var random = SplitMix64(seed: 27)
    for accuracy in [FixAccuracy.full, .reduced] {
      let unused = try Scene(.always, accuracy)
      for _ in 0..<200 {
        let position = Coordinate.here.moved(north: Double(Int.random(in: -100_000...100_000, using: &random)))
        var answers: Set<[Step]> = []
        for suspicion in [nil] + SignalSuspicion.allCases.map(Optional.some) {
          var scene = unused
          scene.journal.clear()
          scene.fix = SealedFix(position, arrived: start.monotonic - .milliseconds(500), suspicion: suspicion)
          // An approximate update needs the next slot.
          let failure = scene.failure(of: try scene.request(kind))
          #expect((failure == nil) == (accuracy == .full || kind == .once))
          answers.insert(scene.steps)
          let isFlagged = suspicion.map { scene.sent.contains(#""suspect":"\#($0.rawValue)""#) } ?? false
          #expect(isFlagged == (accuracy == .full && suspicion != nil))
        }
        #expect(answers.count == (accuracy == .full ? 1 + SignalSuspicion.allCases.count : 1))
      }
    }
  }

  @Test func `slots begin with the first request for an approximate fix, also a standing one, and not before`() throws {
    var scene = try Scene(.always, .reduced, isByPress: false)
    scene.gate.advanceCloak(scene.fix, isLocked: false, isWanted: false, at: start)
    #expect(scene.gate.nextDeadline == nil)
    #expect(scene.failure(of: try scene.request(.once)) == .pending)
    #expect(scene.gate.isNodeWanted && scene.gate.nextDeadline != nil)
  }

  @Test func `after a restart of the daemon, the slots of an answer go on without a request`() throws {
    var earlier = try Scene(.always, .reduced)
    earlier.fix = SealedFix(arrived: start.monotonic - .milliseconds(500))
    #expect(earlier.failure(of: try earlier.request(.once)) == nil)
    var scene = try Scene(.always, .reduced, isByPress: false)
    scene.gate.cloak = try Scene.cloak(earlier.gate.cloak.get().memory)
    scene.gate.advanceCloak(nil, isLocked: false, isWanted: false, at: start)
    let boundary = try #require(scene.gate.nextDeadline)
    // The answer of the press is in force from the next slot on.
    let now = start + (boundary - start.monotonic)
    let isEarly = try scene.gate.nodeInForce(at: start.utc) != nil
    scene.gate.advanceCloak(nil, isLocked: false, isWanted: false, at: now)
    let isInForce = try scene.gate.nodeInForce(at: now.utc) != nil
    #expect(!isEarly && isInForce)
  }

  @Test(
    arguments: [
      (.seconds(60), false, true), (.seconds(60) + .nanoseconds(1), false, false), (.zero, false, true),
      (.zero, true, false),
    ] as [(Duration, Bool, Bool)])
  func `a slot boundary uses no fix while the gateway is locked, and none that is older than a minute`(
    age: Duration, isLocked: Bool, isUsed: Bool
  ) throws {
    var scene = try Scene(.always, .reduced)
    scene.gate.advanceCloak(nil, isLocked: false, isWanted: true, at: start)
    let boundary = try #require(scene.gate.nextDeadline)
    let now = start + (boundary - start.monotonic)
    scene.gate.advanceCloak(SealedFix(arrived: boundary - age), isLocked: isLocked, isWanted: true, at: now)
    #expect(try (scene.gate.nodeInForce(at: now.utc) != nil) == isUsed)
  }

  // MARK: A machine whose clock was never set

  private static let unset = ClockReading(
    monotonic: start.monotonic, utc: UTCTime(nanosecondsSince1970: 90_000_000_000))

  /// A gateway with the cloak's memory and the places of an earlier run.
  private func restarted(_ accuracy: FixAccuracy, isByPress: Bool) throws -> Scene {
    var earlier = try Scene(.always, accuracy, isByPress: isByPress)
    _ = try earlier.putNodeInForce()
    var scene = try Scene(.always, accuracy, isByPress: isByPress)
    scene.gate.cloak = try Scene.cloak(earlier.gate.cloak.get().memory, boot: "2")
    scene.gate.adopt(try SealedPlaces.harbour(isThere: true))
    return scene
  }

  @Test(arguments: [Kind.once, .update], [(FixAccuracy.reduced, true), (.reduced, false), (.place, true)])
  func `without a known time no approximate fix and no name leaves`(
    kind: Kind, right: (accuracy: FixAccuracy, isByPress: Bool)
  ) throws {
    var scene = try restarted(right.accuracy, isByPress: right.isByPress)
    for fix in [nil, SealedFix(arrived: start.monotonic - .milliseconds(100), hasDate: false)] {
      scene.fix = fix
      #expect(scene.failure(of: try scene.request(kind), at: Self.unset) == .pending)
      #expect(scene.steps == [] && scene.gate.nextDeadline == nil)
    }
    scene.fix = SealedFix(arrived: start.monotonic - .milliseconds(100))
    // The first name of updates needs the next slot.
    let isLater = right.accuracy == .place && kind == .update
    #expect(scene.failure(of: try scene.request(kind), at: Self.unset) == (isLater ? .pending : nil))
    #expect(isLater || scene.sent.contains(#""time":"2026-11-21T07:15:00.000Z""#))
  }

  @Test func `the time of this machine is known from the year of the first gateways on`() throws {
    var scene = try Scene()
    let first = UTCTime(iso8601: "2026-01-01T00:00:00Z")
    let known = ClockReading(monotonic: start.monotonic, utc: try #require(first))
    let unknown = ClockReading(monotonic: start.monotonic, utc: known.utc(at: start.monotonic - .nanoseconds(1)))
    var time = scene.gate.reducedUTC(nil, at: unknown)
    #expect(time == nil)
    time = scene.gate.reducedUTC(nil, at: known)
    #expect(time == first)
  }

  @Test func `the time that the receiver sent last goes on while the machine is suspended`() throws {
    var scene = try Scene()
    _ = scene.gate.reducedUTC(SealedFix(arrived: start.monotonic), at: start)
    let now = ClockReading(
      monotonic: start.monotonic + .seconds(10), utc: Self.unset.utc, suspended: .seconds(3600))
    let time = scene.gate.reducedUTC(nil, at: now)
    #expect(time == start.utc(at: start.monotonic + .seconds(3610)))
  }

  @Test func `the first known time serves the apps that wait for it`() throws {
    var scene = try restarted(.reduced, isByPress: false)
    scene.fix = nil
    #expect(scene.failure(of: try scene.request(.update), at: Self.unset) == .pending)
    var mustServe = scene.gate.advanceCloak(nil, isLocked: false, isWanted: true, at: Self.unset)
    #expect(!mustServe)
    mustServe = scene.gate.advanceCloak(nil, isLocked: false, isWanted: true, at: start)
    #expect(mustServe)
    #expect(scene.failure(of: try scene.request(.update)) == nil)
    #expect(scene.sent.contains(#""time":"2026-11-21T07:15:00.000Z""#))
  }
}
