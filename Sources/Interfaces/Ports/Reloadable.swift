import Synchronization

/// A value of the configuration that may change while the program runs. Callers must read the value at each use.
package final class Reloadable<Value: Sendable>: Sendable {
  private let current: Mutex<Value>

  package init(_ value: Value) { current = Mutex(value) }

  package var value: Value {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
