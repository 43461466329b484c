import Authorization
import Base
import LineProtocol

/// The end of a temporary authorization in the database: a time of the boot clock and a time of the wall clock. The
/// boot clock starts at zero after a reboot, so only the wall clock then shows the end.
struct StoredTimeLimit: Hashable {
  /// The identifier of the boot of the machine in which the record was saved; `-` if unknown.
  let boot: String
  let limit: TimeLimit
  /// The end of the authorization by the wall clock, and the time at which the record was saved (`saved`).
  let end: UTCTime
  let saved: UTCTime

  init(_ limit: TimeLimit, boot: String, at now: ClockReading) {
    self.boot = boot.isEmpty ? "-" : boot
    self.limit = limit
    end = now.utc(at: limit.end)
    saved = now.utc
  }

  /// The value as a text for the database: six words, separated by spaces.
  var text: String {
    [
      boot, "\(limit.end.nanoseconds)", "\(end.nanosecondsSince1970)", "\(saved.nanosecondsSince1970)",
      limit.formerStatus.rawValue, limit.wasProvisional ? "provisional" : "-",
    ].joined(separator: " ")
  }

  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 6, let nanoseconds = Int64(words[1]), let end = Int64(words[2]), let saved = Int64(words[3]),
      let status = AuthorizationStatus(rawValue: String(words[4]))
    else { return nil }
    boot = String(words[0])
    limit = TimeLimit(
      end: BootInstant(nanoseconds: nanoseconds), formerStatus: status, wasProvisional: words[5] == "provisional")
    self.end = UTCTime(nanosecondsSince1970: end)
    self.saved = UTCTime(nanosecondsSince1970: saved)
  }

  /// Returns the end of the authorization by the present boot clock. If the end cannot be determined, the result is the
  /// present time.
  ///
  /// - Parameters:
  ///   - boot: The identifier of the present boot; empty if unknown.
  ///   - trustsClock: Whether the wall clock is right. A wall clock before `saved` is never right.
  func limit(in boot: String, at now: ClockReading, trustsClock: Bool) -> TimeLimit {
    var limit = limit
    // A program that is not the gateway cannot change the text, but the clock of a boot can be read wrongly only by a
    // fault. An end after the longest time is such a fault.
    let latest = now.boot + Authorization.Bounds.longestTimeLimit
    if !boot.isEmpty, boot == self.boot {
      limit.end = min(limit.end, latest)
    } else if trustsClock, saved <= now.utc {
      limit.end = min(now.boot + (now.instant(at: end) - now.monotonic), latest)
    } else {
      limit.end = now.boot
    }
    return limit
  }
}
