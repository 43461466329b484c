package import Hardware
import Synchronization

/// A power supply that records how it was switched. A test can set a fault.
package final class RecordingPowerSwitch: PowerSwitch {
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
