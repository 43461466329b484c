import Synchronization

/// A value of the configuration that may change while the program runs. The program must therefore not keep a copy of
/// the value, but read the value each time.
package final class Reloadable<Value: Sendable>: Sendable {
  private let current: Mutex<Value>

  package init(_ value: Value) { current = Mutex(value) }

  package var value: Value {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
