import Synchronization

/// A part of the configuration that may be replaced while the program runs. Its users read it each time that they need it.
package final class Reloadable<Value: Sendable>: Sendable {
  private let current: Mutex<Value>

  package init(_ value: Value) { current = Mutex(value) }

  package var value: Value {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
