package import Hardware
import Synchronization

/// A simulated power supply, whose state can be read, and which can have a fault.
package final class SimulatedPowerSwitch: PowerSwitch {
  private struct State {
    var timeline: [Bool] = []
    var fault: HardwareError?
  }

  private let state = Mutex(State())

  package init() {}

  package func set(isOn: Bool) throws {
    try state.withLock { state in
      if let fault = state.fault { throw fault }
      state.timeline.append(isOn)
    }
  }

  package var isOn: Bool { state.withLock { $0.timeline.last ?? false } }

  /// The values that were set, in chronological order.
  package var timeline: [Bool] { state.withLock { $0.timeline } }

  /// The error that `set` throws, if any.
  package var fault: HardwareError? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }
}
