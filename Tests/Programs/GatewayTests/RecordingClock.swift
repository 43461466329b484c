import Base
import Decoding
import Gateway
import OperatingSystem
import Synchronization

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
