import Base
import Decoding
import Foundation
import Gateway
import OperatingSystem
import StoreScenario
import Synchronization

/// Whether the disk is full.
final class Disk: Sendable {
  private let full = Mutex(false)

  var isFull: Bool {
    get { full.withLock { $0 } }
    set { full.withLock { $0 = newValue } }
  }

  /// Returns a recording for the writes of a store. While the disk is full, each write fails with SQLITE_FULL,
  /// including writes to the reserved space.
  /// - Parameter name: A unique name.
  func recording(_ name: String) throws -> Recording {
    try Recording(name) { change, _, isSQLite in
      if isSQLite, case .write = change, self.isFull { 13 } else { 0 }
    }
  }
}

/// A clock that records the times that it gets.
final class RecordingClock: ClockOutput {
  private let times = Mutex<[ReceiverTime]>([])
  let reducedWarning = "clock-reduced"
  let fields: [String: String] = [:]
  let families: [MetricFamily] = []

  var count: Int { times.withLock(\.count) }

  func receive(_ count: Int, arrived: MonotonicInstant) {}

  func send(_ time: ReceiverTime, at now: ClockReading) -> [LogMessage] {
    times.withLock { $0.append(time) }
    return []
  }
}

/// The data of a receiver that moves along a meridian, with the time of its fixes. Between two positions there are no
/// data for a minute, so that the distance is plausible. The second fix at a position is eleven seconds after the first
/// one, because fixes must agree for that time before a side counts. Tests do not wait for this time.
struct Wanderer {
  private var seconds = 0
  private let start: MonotonicInstant

  init(at now: MonotonicInstant) { start = now - .seconds(40_000) }

  /// Returns two fixes at a distance in metres north of the centre of every test's regions.
  mutating func stand(north metres: Double) -> [(bytes: [UInt8], arrived: MonotonicInstant)] {
    // A minute of latitude is 1853 m there.
    let minutes = String(format: "%08.5f", 22.6 + metres / 1853)
    return [60, 11].map { step in
      seconds += step
      let time = String(format: "%02d%02d%02d.00", 7 + seconds / 3600, seconds / 60 % 60, seconds % 60)
      let body = "GNGGA,\(time),47\(minutes),N,00832.5000,E,1,11,0.8,408.2,M,47.3,M,,"
      return (nmea(body), start + .seconds(seconds))
    }
  }
}
