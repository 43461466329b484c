package import Base
package import Cloaking
import GNSS
import LineProtocol

/// Approximate positions, for apps with reduced accuracy. Only the slots of the cloak determine the times of updates
/// and of answers under a standing authorization. So these times do not reveal the state of the receiver.
extension DisclosureGate {
  /// The name of the sealed value in the state store that contains the memory of the cloak.
  package static let memoryName = "cloak"

  /// The maximum age of the fix that the cloak uses for a new slot.
  private static let oldestEvaluated = Duration.seconds(60)

  /// Begins a slot of the cloak if the present slot has ended. Then gives the cloak the position of the device, unless
  /// the gateway is locked.
  ///
  /// - Parameter isWanted: Whether an app may need an approximate position soon. The first call with the value true
  ///   starts the slots.
  /// - Returns: Whether the slots have begun, or a slot has ended, so that the gateway must serve the apps that wait.
  @discardableResult
  package mutating func advanceCloak(
    _ fix: SealedFix?, isLocked: Bool, isWanted: @autoclosure () -> Bool, at now: ClockReading
  ) -> Bool {
    guard case .success(var cloak) = cloak else { return false }
    let isFirst = cloak.slotEnd == nil
    guard !isFirst || isNodeWanted || isWanted() || hasNode(at: now), let utc = reducedUTC(fix, at: now) else {
      return false
    }
    if isNodeSaved {
      // The memory without an evaluation in the new slot, which no app has received yet.
      var other = cloak
      other.advance(to: now.monotonic, utc: utc, nil)
      if !other.isEvaluated { (isNodeSaved, endedNode) = (false, other.memory) }
    }
    let latest = isLocked ? nil : fix.flatMap { $0.arrived >= now.monotonic - Self.oldestEvaluated ? $0 : nil }
    let isBoundary = cloak.advance(to: now.monotonic, utc: utc, latest?.fix.coordinate, speed: latest?.fix.speed)
    self.cloak = .success(cloak)
    if isBoundary { isNodeWanted = false }
    return isFirst || isBoundary
  }

  /// Returns the memories of the cloak and of the places that must be saved because a slot with an answer has ended.
  /// Without this saving, the answers of the ended slot would bind the gateway longer than necessary after a restart of
  /// the machine.
  ///
  /// - Parameter isStopping: Whether the daemon stops. If so, the result also contains the memories of present slots
  ///   with an answer, because some of the time of these slots has passed.
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

  /// The instant at which the next slot of the cloak or of the places begins; nil before the slots have started.
  package var nextDeadline: MonotonicInstant? {
    let ends = [try? cloak.get().slotEnd, try? places.get().slotEnd]
    return ends.compactMap { $0 }.min()
  }

  private func hasNode(at now: ClockReading) -> Bool {
    if case .success(let cloak) = cloak { cloak.fixInForce(utc: now.utc) != nil } else { false }
  }

  /// An approximate fix, with the memory of the cloak to save before the disclosure.
  typealias Node = (report: FixReport, memory: SealedMemory)

  /// Returns the approximate fix for a press of the button; nil if the date and time are unknown, or if the present
  /// node was chosen in an earlier boot of the machine and is no longer the node of the position. Throws
  /// `CloakUnavailable` if the gateway has no cloak.
  mutating func reduce(_ fix: SealedFix, at now: ClockReading) throws -> Node? {
    var cloak = try self.cloak.get()
    guard let utc = reducedUTC(fix, at: now) else { return nil }
    let reduced = cloak.reduce(fix.fix.coordinate, speed: fix.fix.speed, at: now.monotonic, utc: utc)
    self.cloak = .success(cloak)
    return try reduced.map { try node($0, cloak) }
  }

  /// Returns the approximate fix under a standing authorization; nil if the cloak has no valid node.
  mutating func nodeInForce(at utc: UTCTime) throws -> Node? {
    let cloak = try self.cloak.get()
    return try cloak.fixInForce(utc: utc).map { try node($0, cloak) }
  }

  private mutating func node(_ reduced: ReducedFix, _ cloak: Cloak) throws -> Node {
    // The memory with the answer must not be replaced by a memory from before.
    (isNodeSaved, endedNode) = (cloak.isEvaluated, nil)
    return (try FixReport(reduced), SealedMemory(Self.memoryName, cloak.memory.encoded()))
  }

  /// Returns the time of the receiver, or of this machine if the receiver never sent a date. Returns nil as long as the
  /// receiver has sent no date and the clock of this machine was never set, because a fix with a wrong time would be
  /// false.
  mutating func reducedUTC(_ fix: SealedFix?, at now: ClockReading) -> UTCTime? {
    if let utc = fix?.utc(at: now.monotonic) { receiverClock = ClockReading(monotonic: now.monotonic, utc: utc) }
    if let receiverClock { return receiverClock.utc(at: now.monotonic) }
    return now.utc < .firstGateways ? nil : now.utc
  }
}

/// The cloak, or the reason for its absence.
package typealias CloakState = Result<Cloak, CloakUnavailable>

/// The reason why the gateway cannot compute approximate fixes.
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
