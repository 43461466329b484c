package import Hardware
package import LineProtocol
package import OwnerClients
import Synchronization

/// The port of an emulated display module, which a test can unplug. It records each picture that differs from the
/// picture before it.
package final class EmulatedDisplayPort: DisplayPort {
  private struct State {
    var module: EmulatedModule
    var pictures: [Picture] = []
    var frames = 0
    /// The number of transactions that the module still acknowledges; nil for no limit.
    var left: Int?
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

  /// Unplugs the module after a number of further transactions.
  package func unplug(after transactions: Int) { state.withLock { $0.left = transactions } }

  /// Plugs a module in that has just got its power.
  package func plug() {
    state.withLock { state in
      state.left = nil
      state.module = EmulatedModule(settings)
    }
  }

  package func write(_ bytes: [UInt8]) throws(HardwareError) {
    let isAcknowledged = state.withLock { state in
      if state.left == 0 { return false }
      state.left = state.left.map { $0 - 1 }
      state.module.write(bytes)
      if bytes.count == 2 {
        state.frames += 1
        if state.module.picture != state.pictures.last { state.pictures.append(state.module.picture) }
      }
      return true
    }
    if !isAcknowledged { throw HardwareError(.absent, "write", "emulated", cause: "no display answers") }
  }
}
