package import Clocks
import Hardware
import OperatingSystem

/// A receiver that lives, without a receiver: `simulated`.
///
/// It starts when it is run, with the wall clock's time, and sends an epoch's sentences when they would come.
package struct SimulatedReceiver: BytePort {
  package let name: String
  /// Never: nobody is where the simulation says.
  package var isLive: Bool { false }

  package let settings: ReceiverSimulation.Settings
  private let pace: Pace

  package init(settings: ReceiverSimulation.Settings = ReceiverSimulation.Settings()) {
    self.init(settings: settings, pace: .real)
  }

  init(settings: ReceiverSimulation.Settings, pace: Pace) {
    self.settings = settings
    self.pace = pace
    var options: [String] = []
    let standard = ReceiverSimulation.Settings()
    if settings.isCold { options.append("cold") }
    if settings.seed != standard.seed { options.append("seed=\(settings.seed)") }
    if settings.rate != standard.rate { options.append("rate=\(settings.rate)") }
    name = options.isEmpty ? "simulated" : "simulated:" + options.joined(separator: ",")
  }

  package func run(
    opened: @Sendable () async -> Void,
    _ receive: @Sendable (_ bytes: [UInt8], _ arrived: MonotonicInstant) async -> Void
  ) async throws {
    let start = pace.reading()
    var simulation = ReceiverSimulation(settings: settings, start: start.utc)
    await opened()
    while !Task.isCancelled {
      let burst = simulation.next()
      let due = start.monotonic + burst.at
      guard await pace.reaches(due) else { return }
      let now = pace.reading().monotonic
      // What nobody took in time is lost, as in a UART whose reader stood still: the past is never sent as the present.
      if now - due < .seconds(1) { await receive(burst.bytes, now) }
    }
  }
}
