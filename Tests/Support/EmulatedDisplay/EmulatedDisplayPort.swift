package import Display
package import Hardware
package import LineProtocol
import Synchronization

/// The port of an emulated display module, whose transactions can fail. It records each picture that differs from the
/// picture before it.
package final class EmulatedDisplayPort: DisplayPort {
  private struct State {
    var module: EmulatedModule
    var pictures: [Picture] = []
    var frames = 0
    /// The number of transactions that the module still acknowledges; nil for no limit.
    var left: Int?
    /// The cause of the failures after these transactions.
    var cause = ""
    var failures = 0
  }

  private let state: Mutex<State>
  private let settings: DisplayModule

  package init(_ module: DisplayModule) {
    settings = module
    state = Mutex(State(module: EmulatedModule(module)))
  }

  package var pictures: [Picture] { state.withLock { $0.pictures } }

  /// The number of frames and of commands that switched the module off.
  package var frames: Int { state.withLock { $0.frames } }

  /// The number of failed transactions.
  package var failures: Int { state.withLock { $0.failures } }

  /// Lets each transaction fail after a number of further transactions.
  package func fail(after transactions: Int, _ cause: String) {
    state.withLock { ($0.left, $0.cause, $0.failures) = (transactions, cause, 0) }
  }

  /// Ends the failures with a module that has just got its power.
  package func plug() {
    state.withLock { state in
      state.left = nil
      state.module = EmulatedModule(settings)
    }
  }

  package func write(_ bytes: [UInt8]) throws(HardwareError) {
    let cause: String? = state.withLock { state in
      if state.left == 0 {
        state.failures += 1
        return state.cause
      }
      state.left = state.left.map { $0 - 1 }
      state.module.write(bytes)
      if bytes.count == 2 {
        state.frames += 1
        if state.module.picture != state.pictures.last { state.pictures.append(state.module.picture) }
      }
      return nil
    }
    if let cause { throw HardwareError(.absent, "write", "emulated", cause: cause) }
  }
}
