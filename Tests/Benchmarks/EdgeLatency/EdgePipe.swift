import Base
import Glibc
import Hardware
import LinuxHardware
import OperatingSystem
import Synchronization

/// A pipe in place of a GPIO line: it transports edges as records of time, activity and sequence number.
final class EdgePipe: EdgeSource {
  let name = "a pipe"
  let descriptor: Int32
  var device: String? { nil }
  private let input: Int32
  private let count = Atomic<UInt32>(0)

  private struct Record {
    var timestamp: Int64
    var isActive: Bool
    var sequence: UInt32
  }

  init() {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { exit(71) }
    (descriptor, input) = (ends[0], ends[1])
  }

  /// - Returns: The timestamp of the edge.
  @discardableResult
  func write(_ activity: LineActivity) -> MonotonicInstant {
    let now = SystemClock.monotonic
    var record = Record(
      timestamp: now.nanoseconds, isActive: activity == .active,
      sequence: count.wrappingAdd(1, ordering: .relaxed).newValue)
    // The size is that of the record. A pipe writes so few bytes at once.
    guard unsafe Glibc.write(input, &record, MemoryLayout<Record>.size) == MemoryLayout<Record>.size else { exit(71) }
    return now
  }

  func readEdges() throws(HardwareError) -> EdgeRecords {
    var record = Record(timestamp: 0, isActive: false, sequence: 0)
    // The size is that of the record.
    guard unsafe read(descriptor, &record, MemoryLayout<Record>.size) == MemoryLayout<Record>.size else {
      throw HardwareError(.absent, "read", name, cause: "it was closed")
    }
    let edge = Edge(record.isActive ? .active : .inactive, at: MonotonicInstant(nanoseconds: record.timestamp))
    return EdgeRecords(records: [.init(edge: edge, sequence: record.sequence)], mayHaveOverflowed: false)
  }

  func activity() throws(HardwareError) -> LineActivity { .inactive }
}
