package import Base
import Hardware

/// A port with a simulated receiver: `simulated` in the configuration. The simulation begins at the present time of the
/// wall clock, and sends its NMEA sentences in real time.
package struct SimulatedReceiver: BytePort {
  package let name: String
  /// Always false, because the simulated position is not the position of this machine.
  package var isLive: Bool { false }

  package let settings: ReceiverSimulation.Settings
  private let clock: SimulationClock

  package init(settings: ReceiverSimulation.Settings = ReceiverSimulation.Settings(), clock: SimulationClock = .system)
  {
    self.settings = settings
    self.clock = clock
    var options: [String] = []
    let standard = ReceiverSimulation.Settings()
    if settings.isCold { options.append("cold") }
    if settings.seed != standard.seed { options.append("seed=\(settings.seed)") }
    if settings.rate != standard.rate { options.append("rate=\(settings.rate)") }
    name = options.isEmpty ? "simulated" : "simulated:" + options.joined(separator: ",")
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @escaping @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) -> Void
  ) async throws {
    let start = clock.reading()
    var simulation = ReceiverSimulation(settings: settings, start: start.utc)
    await opened()
    while !Task.isCancelled {
      let burst = simulation.next()
      let due = start.monotonic + burst.at
      guard await clock.wait(until: due) else { return }
      let now = clock.reading().monotonic
      // A late burst is dropped, as in a UART whose reader is too slow, so that old data never looks current.
      if now - due < .seconds(1) { receive(burst.bytes, now) }
    }
  }
}
