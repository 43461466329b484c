package import Base
import Hardware

/// A line that carries so many bytes a second, and takes commands.
package struct FakePort: CommandPort {
  package let name = "uart:test"
  package let isLive = true
  package let isSpeedKnown = true
  package var lineCapacity: Int?
  package var wakeUps: Int

  private let record: @Sendable ([UInt8]) throws -> Void

  /// - Parameter record: receives each command. Its error is that of the port.
  package init(
    lineCapacity: Int? = nil, wakeUps: Int = 0, _ record: @escaping @Sendable ([UInt8]) throws -> Void = { _ in }
  ) {
    self.lineCapacity = lineCapacity
    self.wakeUps = wakeUps
    self.record = record
  }

  package func send(_ bytes: [UInt8]) throws { try record(bytes) }

  package func run(
    opened: @Sendable () async -> Void, _ receive: @escaping @Sendable ([UInt8], MonotonicInstant) -> Void
  ) {}
}
