import Clocks
package import Hardware

/// Edges that were read at once.
package struct EdgeRecords: Hashable, Sendable {
  package struct Record: Hashable, Sendable {
    package var edge: Edge
    /// Counts the edges of the line; nil where nobody does.
    package var sequence: UInt32?

    package init(edge: Edge, sequence: UInt32?) {
      self.edge = edge
      self.sequence = sequence
    }
  }

  /// Oldest first.
  package var records: [Record]
  /// As many as can be kept: there may have been more.
  package var mayHaveOverflowed: Bool

  package init(records: [Record], mayHaveOverflowed: Bool) {
    self.records = records
    self.mayHaveOverflowed = mayHaveOverflowed
  }
}

/// Something whose edges can be waited for with poll(2): a GPIO line, or a pipe that stands for one.
package protocol EdgeSource: Sendable {
  /// As in `GPIO line gpiochip0:17 (GPIO17)`.
  var name: String { get }
  /// Readable when edges are pending; open as long as the source is.
  var descriptor: Int32 { get }
  /// The name in `/dev` whose end is the end of the line; nil where there is none.
  var device: String? { get }

  /// The pending edges; called when the descriptor is readable.
  /// - Throws: `HardwareError` where the line has gone.
  func readEdges() throws(HardwareError) -> EdgeRecords

  /// How the line is now.
  /// - Throws: `HardwareError` where the line has gone.
  func activity() throws(HardwareError) -> LineActivity
}

/// From the edges that were read to events: what is missing between two of them is told as lost.
struct EdgeSequence {
  private var last: UInt32?

  /// - Parameter activity: how the line is now; asked for only where edges were lost.
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
