package import Base
import Hardware
import Sentences

/// A receiver whose data comes from a test.
package final class FedReceiver: BytePort {
  package let name = "fed"
  package let isLive = false
  private let clock: BenchClock
  private let chunks: AsyncStream<(bytes: [UInt8], arrived: MonotonicInstant)>
  private let feed: AsyncStream<(bytes: [UInt8], arrived: MonotonicInstant)>.Continuation

  package init(_ clock: BenchClock) {
    self.clock = clock
    (chunks, feed) = AsyncStream.makeStream()
  }

  package func run(
    opened: @Sendable () async -> Void, _ receive: @escaping @Sendable ([UInt8], MonotonicInstant) -> Void
  ) async throws {
    await opened()
    for await (bytes, arrived) in chunks { receive(bytes, arrived) }
  }

  /// Sends an epoch with one GGA, and lets the time pass until it is complete.
  /// - Parameter age: The time since the arrival of the epoch.
  package func send(second: Int, quality: Int = 1, satellites: Int = 11, age: Duration = .zero) async {
    await send(Self.epoch(second: second, quality: quality, satellites: satellites), age: age)
  }

  /// Sends epochs that are read at once, and lets the time pass until they are complete.
  package func send(seconds: Range<Int>) async {
    await send(seconds.flatMap { Self.epoch(second: $0, quality: 1, satellites: 11) }, age: .zero)
  }

  private func send(_ bytes: [UInt8], age: Duration) async {
    read(bytes, age: age)
    // The last epoch is complete when no data follows it.
    await clock.pass(.milliseconds(500))
  }

  /// Sends bytes while no time passes.
  package func read(_ bytes: [UInt8], age: Duration = .zero) { feed.yield((bytes, clock.now - age)) }

  /// Sends epochs while no time passes. All except the last epoch are complete.
  package func read(seconds: Range<Int>) {
    read(seconds.flatMap { Self.epoch(second: $0, quality: 1, satellites: 11) })
  }

  private static func epoch(second: Int, quality: Int, satellites: Int) -> [UInt8] {
    let position = quality == 0 ? ",,,," : "4722.6133,N,00832.5016,E"
    let seconds = second < 10 ? "0\(second)" : "\(second)"
    let content = "GNGGA,0731\(seconds).00,\(position),\(quality),\(satellites),0.8,408.2,M,47.3,M,,"
    return Array(nmeaSentence(content).utf8)
  }
}
