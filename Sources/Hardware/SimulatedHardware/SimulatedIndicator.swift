package import Hardware
import Synchronization

/// A simulated indicator (status LED) without hardware. A test can read the LED, and can give the LED a fault.
package final class SimulatedIndicator: IndicatorOutput {
  package enum Fault: Hashable, Sendable {
    /// A fault of the driver: `drive` throws the given error, and the LED does not change.
    case refusing(HardwareError)
    /// A fault of the LED or its wire: `drive` succeeds, but the LED stays dark.
    case dark
  }

  private struct State {
    var isDriven = false
    var fault: Fault?
  }

  private let state = Mutex(State())

  package init() {}

  package func drive(_ isLit: Bool) throws {
    try state.withLock { state in
      if case .refusing(let error) = state.fault { throw error }
      state.isDriven = isLit
    }
  }

  package func sense() throws -> Bool? { isLit }

  package var isLit: Bool {
    state.withLock { $0.isDriven && $0.fault != .dark }
  }

  package var fault: Fault? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }
}
