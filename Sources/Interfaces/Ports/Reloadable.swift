import Synchronization

/// A part of the configuration that may change while the program runs. Code that needs the value must read it each
/// time.
package final class Reloadable<Value: Sendable>: Sendable {
  private let current: Mutex<Value>

  package init(_ value: Value) { current = Mutex(value) }

  package var value: Value {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
