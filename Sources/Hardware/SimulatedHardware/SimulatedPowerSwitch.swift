package import Hardware
import Synchronization

/// A supply that is a value: it can be looked at, and made to fail.
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

  /// What it was set to, oldest first.
  package var timeline: [Bool] { state.withLock { $0.timeline } }

  /// Setting it throws this; nil for no fault.
  package var fault: HardwareError? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }
}
