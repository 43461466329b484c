import Synchronization

/// Something configured that may be configured anew while it is in use: whoever uses it looks it up each time.
package final class Live<Value: Sendable>: Sendable {
  private let current: Mutex<Value>

  package init(_ value: Value) { current = Mutex(value) }

  package var value: Value {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
