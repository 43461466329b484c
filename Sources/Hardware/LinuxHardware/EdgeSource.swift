import Base
package import Hardware

/// The edges from one call of `readEdges`.
package struct EdgeRecords: Hashable, Sendable {
  package struct Record: Hashable, Sendable {
    package var edge: Edge
    /// The number of the edge, if the kernel counts the edges of the GPIO line; otherwise nil.
    package var sequence: UInt32?

    package init(edge: Edge, sequence: UInt32?) {
      self.edge = edge
      self.sequence = sequence
    }
  }

  package var records: [Record]
  /// Whether the read returned as many edges as the kernel can keep. Later edges may then be lost.
  package var mayHaveOverflowed: Bool

  package init(records: [Record], mayHaveOverflowed: Bool) {
    self.records = records
    self.mayHaveOverflowed = mayHaveOverflowed
  }
}

/// A source of edges with a descriptor for poll(2): a GPIO line, or a pipe that simulates a GPIO line.
package protocol EdgeSource: Sendable {
  /// The name for messages, for example `GPIO line gpiochip0:17 (GPIO17)`.
  var name: String { get }
  /// A descriptor that is readable when edges are pending. The descriptor stays open as long as the source exists.
  var descriptor: Int32 { get }
  /// The name of the GPIO chip's file in `/dev`, for example `gpiochip0`; nil if the source has no GPIO chip.
  var device: String? { get }

  /// Reads the pending edges. Before the call, `descriptor` must be readable. Throws `HardwareError` if the GPIO line
  /// has disappeared.
  func readEdges() throws(HardwareError) -> EdgeRecords

  /// Returns the current level of the GPIO line. Throws `HardwareError` if the GPIO line has disappeared.
  func activity() throws(HardwareError) -> LineActivity
}

/// A converter from edges to events. If a number is missing in the kernel's count of edges, the converter reports a
/// loss.
struct EdgeSequence {
  private var last: UInt32?

  /// Returns the events for a batch of edges. `activity` returns the current level of the GPIO line, and is called only
  /// if edges were lost.
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
