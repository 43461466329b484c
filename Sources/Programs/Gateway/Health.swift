import Authorization
import Clocks
import Glibc
package import Hardware
import LineProtocol
import Logging
import NMEA
import StateStore
import OperatingSystem

/// Whether the gateway lives.
extension Gateway {
  /// Returns when the gateway has come to it.
  package func answer() {}

  /// What reads the board, with the names by which people know it.
  package nonisolated var readers: [(name: String, reader: any DeviceReader)] {
    setup.buttons.map { ("button \($0.profile.name)", $0.input) } + [("receiver", setup.receiver.reader)]
  }
}

/// What an owner needs to know to mend something. No position, and no time of one.
extension Gateway {
  func addHealth(to fields: inout ServerLine.Fields) {
    // Fields are words; a path with spaces is not worth a way of writing it.
    if !setup.receiver.name.contains(where: \.isWhitespace) { fields["source"] = setup.receiver.name }
    fields["uid"] = "\(geteuid())"
    fields["fix-age"] = reception.latest.map { Gateway.age(of: $0.arrived, at: SystemClock.monotonic) }
    let statistics = reception.statistics
    let frames =
      statistics.sentences + statistics.ignoredSentences + statistics.ubxFrames + statistics.rtcm3Frames
    if frames + statistics.errorCount > 0 { fields["frames"] = "\(frames)" }
    let damaged = NMEAError.Cause.allCases.filter { statistics.count(of: $0) > 0 }
      .map { "\($0.name):\(statistics.count(of: $0))" }
    let faults = (commandPort?.faults ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
    let errors = damaged + faults
    if !errors.isEmpty { fields["errors"] = errors.joined(separator: ",") }
    var warnings = setup.warnings + logQuota.lowApps(at: SystemClock.monotonic).map { "log-busy:\($0)" }
    if !store.rightsFaults.isEmpty { warnings.append("rights-changed") }
    if !warnings.isEmpty { fields["warnings"] = warnings.joined(separator: ",") }
  }

  /// Reports records that were changed outside of this program, and writes that their apps are denied.
  static func denyChangedRights(in store: StateStore, at now: ClockReading, _ logger: Logger) {
    guard !store.rightsFaults.isEmpty else { return }
    for fault in store.rightsFaults {
      logger.error("\(fault)", metadata: ["remedy": "find out who may write the state; then allow the apps anew"])
    }
    do {
      try store.denyChangedRights(now: now)
    } catch {
      logger.error("a denial was not written and is repeated at the next start", metadata: ["cause": "\(error)"])
    }
  }

  /// Of the latest fix: `fresh` where a press now would be given it, else `old`.
  static func age(of arrived: MonotonicInstant, at now: MonotonicInstant) -> String {
    now - arrived <= Authorization.Bounds.oldestEpoch ? "fresh" : "old"
  }
}

extension NMEAError.Cause {
  /// One word for owners.
  var name: String {
    switch self {
    case .malformedAddress: "address"
    case .missingChecksum: "no-checksum"
    case .checksumMismatch: "checksum"
    case .malformedChecksum: "checksum-digits"
    case .interrupted: "interrupted"
    case .aborted: "binary-byte"
    case .overlong: "overlong"
    case .ubxChecksum: "ubx-checksum"
    case .rtcm3Checksum: "rtcm3-checksum"
    case .fieldCount: "field-count"
    case .invalidField: "field"
    }
  }
}
