package import Hardware

/// The level changes (edges) from one call of `readEdges`.
package struct EdgeRecords: Hashable, Sendable {
  package struct Record: Hashable, Sendable {
    package var edge: Edge
    /// The sequence number that the kernel gave to the level change (edge); nil if the kernel gives no numbers.
    package var sequence: UInt32?

    package init(edge: Edge, sequence: UInt32?) {
      self.edge = edge
      self.sequence = sequence
    }
  }

  package var records: [Record]
  /// Whether the read returned as many level changes (edges) as the kernel can store. The kernel may then have dropped
  /// later level changes.
  package var mayHaveOverflowed: Bool

  package init(records: [Record], mayHaveOverflowed: Bool) {
    self.records = records
    self.mayHaveOverflowed = mayHaveOverflowed
  }
}

/// A source of level changes (edges) with a file descriptor for poll(2): a GPIO line, or a pipe that simulates a GPIO
/// line.
package protocol EdgeSource: Sendable {
  /// The name of the button or input in error messages and the log, for example `GPIO line gpiochip0:17 (GPIO17)`.
  var name: String { get }
  /// The file descriptor for poll(2), which is readable when level changes (edges) can be read. The descriptor stays
  /// open while this object exists.
  var descriptor: Int32 { get }
  /// The name of the GPIO chip's file in `/dev`, for example `gpiochip0`; nil without a GPIO chip.
  var device: String? { get }

  /// Reads the pending level changes (edges). The caller must first wait until `descriptor` is readable.
  /// - Throws: `HardwareError` if the GPIO line has disappeared.
  func readEdges() throws(HardwareError) -> EdgeRecords

  /// Returns the present level of the GPIO line.
  /// - Throws: `HardwareError` if the GPIO line has disappeared.
  func activity() throws(HardwareError) -> LineActivity
}

/// A converter from level changes (edges) to events. If a sequence number of the kernel is missing, the converter
/// reports a loss of edges.
struct EdgeSequence {
  private var last: UInt32?

  /// Returns the events for level changes (edges) that were read together. If edges were lost, the function calls
  /// `activity` for the present level, and returns a single event `lost`.
  mutating func events<Failure>(
    _ batch: EdgeRecords, activity: () throws(Failure) -> LineActivity
  ) throws(Failure) -> [EdgeEvent] {
    var isWhole = !batch.mayHaveOverflowed
    for record in batch.records {
      if let sequence = record.sequence, let last, sequence != last &+ 1 { isWhole = false }
      last = record.sequence ?? last
    }
    guard !isWhole, let end = batch.records.last?.edge.timestamp else { return batch.records.map { .edge($0.edge) } }
    return [.lost(now: try activity(), at: end)]
  }
}
