import Clocks
import Hardware

/// A line that carries so many bytes a second, and takes commands.
struct FakePort: CommandPort {
  let name = "uart:test"
  let isLive = true
  let isSpeedKnown = true
  var lineCapacity: Int?
  var wakeUps = 0

  func send(_ bytes: [UInt8]) {}

  func run(
    opened: @Sendable () async -> Void, _ receive: @escaping @Sendable ([UInt8], MonotonicInstant) -> Void
  ) {}
}
