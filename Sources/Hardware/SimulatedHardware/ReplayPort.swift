package import Base
import Hardware

/// A port that replays a recording of a receiver: `replay:FILE[@SPEED]` in the configuration. The recording contains
/// NMEA 0183, UBX or both, and may be of any size.
///
/// The port sends all data of one instant together, and then waits until the next instant, at most 5 s. If the time in
/// the recording goes back, the port does not wait.
package struct ReplayPort: BytePort {
  package enum Speed: Hashable, Sendable, CustomStringConvertible {
    /// A multiple of the original speed of the recording, greater than 0.
    case factor(Double)
    /// The port sends the bytes without waits, as fast as the caller takes the bytes.
    case unlimited

    package var description: String {
      switch self {
      case .factor(let factor): factor == factor.rounded() && factor < 1e9 ? "\(Int(factor))" : "\(factor)"
      case .unlimited: "max"
      }
    }
  }

  package let path: String
  package let speed: Speed
  /// Always false, because a recording contains past positions.
  package var isLive: Bool { false }

  private let clock: SimulationClock

  package init(path: String, speed: Speed = .factor(1)) {
    self.init(path: path, speed: speed, clock: .system)
  }

  init(path: String, speed: Speed, clock: SimulationClock) {
    self.path = path
    self.speed = speed
    self.clock = clock
  }

  package var name: String {
    speed == .factor(1) ? "replay:\(path)" : "replay:\(path)@\(speed)"
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @escaping @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws {
    var file = try LogFile(path: path)
    await opened()
    switch speed {
    case .unlimited:
      while !Task.isCancelled, let chunk = try file.read() {
        receive(chunk, clock.reading().monotonic)
        // It is possible that this loop never waits for data. So the loop lets other tasks run here.
        await Task.yield()
      }
    case .factor(let factor):
      try await send(&file, factor: factor, receive)
    }
  }

  private func send(
    _ file: inout LogFile, factor: Double,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws {
    var schedule = ReplaySchedule()
    var due = clock.reading().monotonic
    var hasEnded = false
    while !hasEnded {
      let chunk = try file.read()
      hasEnded = chunk == nil
      for group in chunk.map({ schedule.accept($0) }) ?? schedule.finish() {
        if group.wait > .zero {
          due = due + group.wait / factor
          guard await clock.wait(until: due) else { return }
        }
        if Task.isCancelled { return }
        receive(group.bytes, clock.reading().monotonic)
      }
    }
  }
}
