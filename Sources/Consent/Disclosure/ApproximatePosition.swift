package import Clocks
package import Cloaking
import GNSS
import LineProtocol

/// Approximate positions. Updates and standing requests are answered by the slots of the cloak alone, never by the
/// state of the receiver.
extension DisclosureGate {
  /// The name of the cloak's memory in the store.
  package static let memoryName = "cloak"

  /// A fix older than that is not used at a slot boundary.
  private static let oldestEvaluated = Duration.seconds(60)

  /// Updates the cloak with the position at the beginning of a slot. The cloak is not evaluated while the gateway is
  /// locked.
  ///
  /// - Parameter isWanted: whether an app may need an approximate position soon. The first such call starts the slots.
  /// - Returns: whether a slot boundary was passed.
  @discardableResult
  package mutating func advanceCloak(
    _ fix: SealedFix?, isLocked: Bool, isWanted: @autoclosure () -> Bool, at now: ClockReading
  ) -> Bool {
    guard case .success(var cloak) = cloak else { return false }
    let isDue = cloak.slotEnd.map { $0 <= now.monotonic } ?? (isNodeWanted || isWanted() || hasNode(at: now))
    guard isDue else { return false }
    let utc = reducedUTC(fix, at: now)
    let latest = isLocked ? nil : fix.flatMap { $0.arrived >= now.monotonic - Self.oldestEvaluated ? $0 : nil }
    let isBoundary = cloak.advance(to: now.monotonic, utc: utc, latest?.fix.coordinate, speed: latest?.fix.speed)
    self.cloak = .success(cloak)
    if isBoundary { isNodeWanted = false }
    return isBoundary
  }

  /// When the next slot begins; nil before an app wanted an approximate position.
  package var nextDeadline: MonotonicInstant? {
    if case .success(let cloak) = cloak { cloak.slotEnd } else { nil }
  }

  private func hasNode(at now: ClockReading) -> Bool {
    if case .success(let cloak) = cloak { cloak.fixInForce(utc: now.utc) != nil } else { false }
  }

  /// An approximate fix, and the cloak's memory, which is saved with the entry of the log.
  typealias Node = (report: FixReport, memory: [UInt8])

  /// The approximate fix for a press.
  /// - Throws: `CloakUnavailable` if there is no key.
  mutating func reduce(_ fix: SealedFix, at now: ClockReading) throws -> Node {
    var cloak = try self.cloak.get()
    let utc = reducedUTC(fix, at: now)
    let reduced = cloak.reduce(fix.fix.coordinate, speed: fix.fix.speed, at: now.monotonic, utc: utc)
    self.cloak = .success(cloak)
    return (try FixReport(reduced), cloak.memory.encoded())
  }

  /// The node in force; nil if there is none.
  func nodeInForce(at utc: UTCTime) throws -> Node? {
    let cloak = try self.cloak.get()
    guard let reduced = cloak.fixInForce(utc: utc) else { return nil }
    return (try FixReport(reduced), cloak.memory.encoded())
  }

  /// Returns the current time, according to the last reading of the receiver's clock.
  mutating func reducedUTC(_ fix: SealedFix?, at now: ClockReading) -> UTCTime {
    if let utc = fix?.utc(at: now.monotonic) { receiverClock = ClockReading(monotonic: now.monotonic, utc: utc) }
    return receiverClock?.utc(at: now.monotonic) ?? now.utc
  }
}

/// The cloak, or the reason why the cloak is unavailable.
package typealias CloakState = Result<Cloak, CloakUnavailable>

/// Why no approximate fix can be made.
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
