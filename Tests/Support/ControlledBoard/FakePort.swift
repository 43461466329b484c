package import Clocks
import Hardware

/// A line that carries so many bytes a second, and takes commands.
package struct FakePort: CommandPort {
  package let name = "uart:test"
  package let isLive = true
  package let isSpeedKnown = true
  package var lineCapacity: Int?
  package var wakeUps: Int

  package init(lineCapacity: Int? = nil, wakeUps: Int = 0) {
    self.lineCapacity = lineCapacity
    self.wakeUps = wakeUps
  }

  package func send(_ bytes: [UInt8]) {}

  package func run(
    opened: @Sendable () async -> Void, _ receive: @escaping @Sendable ([UInt8], MonotonicInstant) -> Void
  ) {}
}
