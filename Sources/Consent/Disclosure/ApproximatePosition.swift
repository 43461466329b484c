package import Base
package import Cloaking
import GNSS
import LineProtocol

/// Approximate positions, for apps with reduced accuracy. Without a press of the button, the gateway sends messages to
/// apps only at scheduled times. The times of the messages therefore do not reveal the state of the receiver.
extension DisclosureGate {
  /// The name of the encrypted memory of `Cloak` (the algorithm for approximate positions) in the state store.
  package static let memoryName = "cloak"

  /// The maximum age of a fix when the gateway computes a new approximate position.
  private static let oldestEvaluated = Duration.seconds(60)

  /// Begins a new slot (a period of about 15 minutes with one approximate position) if the present slot has ended. Then
  /// computes the approximate position from the fix, unless the gateway is locked.
  ///
  /// - Parameter isWanted: Whether an app may need an approximate position soon.
  /// - Returns: Whether the first slot began or a slot ended, so that the gateway must serve waiting apps.
  @discardableResult
  package mutating func advanceCloak(
    _ fix: SealedFix?, isLocked: Bool, isWanted: @autoclosure () -> Bool, at now: ClockReading
  ) -> Bool {
    guard case .success(var cloak) = cloak else { return false }
    let isFirst = cloak.slotEnd == nil
    guard !isFirst || isNodeWanted || isWanted() || cloak.hasAnswer, let utc = reducedUTC(fix, at: now) else {
      return false
    }
    if isNodeSaved {
      // The memory without an approximate position of the new slot, because no app has received one yet.
      var other = cloak
      other.advance(to: now.monotonic, utc: utc, nil)
      if !other.isEvaluated { (isNodeSaved, endedNode) = (false, other.memory) }
    }
    let latest = isLocked ? nil : fix.flatMap { $0.arrived >= now.monotonic - Self.oldestEvaluated ? $0 : nil }
    let isBoundary = cloak.advance(to: now.monotonic, utc: utc, latest?.fix.coordinate, speed: latest?.speed)
    self.cloak = .success(cloak)
    if isBoundary { isNodeWanted = false }
    return isFirst || isBoundary
  }

  /// Records that the machine was suspended: the answers of the present slots, and the sides of the borders of places,
  /// may be old.
  package mutating func noteSuspension(at now: ClockReading) {
    // The fix from before the suspension was dropped, so its time is known only from `receiverClock`.
    let utc = reducedUTC(nil, at: now)
    // Without a time there is no slot of the cloak.
    if let utc, case .success(var cloak) = cloak {
      cloak.noteSuspension(at: now.monotonic, utc: utc)
      self.cloak = .success(cloak)
    }
    guard case .success(var places) = places else { return }
    places.noteSuspension(utc: utc)
    self.places = .success(places)
  }

  /// Returns the states to encrypt and save after the end of a slot (a period with one answer to the apps). Without
  /// this save, the old answer would stay valid too long after a restart of the machine.
  ///
  /// - Parameter isStopping: Whether the daemon stops. If true, the result contains the state of the present slots with
  ///   an answer, because part of their time has passed.
  package mutating func drainSlots(isStopping: Bool = false) -> [SealedMemory] {
    var memories: [SealedMemory] = []
    if isStopping, isNodeSaved { endedNode = try? cloak.get().memory }
    if let endedNode { memories.append(SealedMemory(Self.memoryName, endedNode.encoded())) }
    if case .success(let places) = places, isPlaceSlotOver || isStopping && places.isAnswered {
      memories.append(SealedMemory(SealedPlaces.name, places.encoded))
    }
    (endedNode, isPlaceSlotOver) = (nil, false)
    return memories
  }

  /// The next instant at which the approximate position, or the name of the place, may change; nil before the first
  /// slot.
  package var nextDeadline: MonotonicInstant? {
    let ends = [try? cloak.get().slotEnd, try? places.get().slotEnd]
    return ends.compactMap { $0 }.min()
  }

  /// An approximate fix, and the memory of the algorithm for approximate positions, which the gateway saves before the
  /// disclosure.
  typealias Node = (report: FixReport, memory: SealedMemory)

  /// Returns the approximate fix for a press of the button. Returns nil if the time is unknown, or if the answer from
  /// before a reboot no longer matches the position. Throws `CloakUnavailable` if the algorithm for approximate
  /// positions is not available.
  mutating func reduce(_ fix: SealedFix, at now: ClockReading) throws -> Node? {
    var cloak = try self.cloak.get()
    guard let utc = reducedUTC(fix, at: now) else { return nil }
    let reduced = cloak.reduce(fix.fix.coordinate, speed: fix.speed, at: now.monotonic, utc: utc)
    self.cloak = .success(cloak)
    return try reduced.map { try node($0, cloak) }
  }

  /// Returns the approximate fix for apps that need no press of the button; nil if there is no valid approximate
  /// position.
  mutating func nodeInForce(at utc: UTCTime) throws -> Node? {
    let cloak = try self.cloak.get()
    return try cloak.fixInForce(utc: utc).map { try node($0, cloak) }
  }

  private mutating func node(_ reduced: ReducedFix, _ cloak: Cloak) throws -> Node {
    // The saved memory must not be replaced by an earlier memory without this answer.
    (isNodeSaved, endedNode) = (cloak.isEvaluated, nil)
    return (try FixReport(reduced), SealedMemory(Self.memoryName, cloak.memory.encoded()))
  }

  /// Returns the present UTC time of the receiver, or of this machine if the receiver never sent a date. Returns nil if
  /// both times are unknown.
  mutating func reducedUTC(_ fix: SealedFix?, at now: ClockReading) -> UTCTime? {
    if let utc = fix?.utc(at: now.monotonic) {
      receiverClock = ClockReading(monotonic: now.monotonic, utc: utc, suspended: now.suspended)
    }
    if let receiverClock { return receiverClock.utc(at: now.boot) }
    return now.utc < .firstGateways ? nil : now.utc
  }
}

/// The algorithm that computes approximate positions, or the reason why this algorithm is not available.
package typealias CloakState = Result<Cloak, CloakUnavailable>

/// The error that the algorithm for approximate positions is not available.
package struct CloakUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension FixReport {
  fileprivate init(_ reduced: ReducedFix) throws(CloakUnavailable) {
    guard let node = Coordinate(latitude: reduced.latitude, longitude: reduced.longitude) else {
      throw CloakUnavailable("the cloak answered with no position")
    }
    self.init(reduced: node, horizontalAccuracy: reduced.horizontalAccuracy, time: reduced.time)
  }
}
