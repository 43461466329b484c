import Synchronization

/// A thread-safe counter of rare events.
package final class Counter: Sendable {
  private let total = Atomic<Int>(0)

  package init() {}

  package func increment() { total.wrappingAdd(1, ordering: .relaxed) }

  package var count: Int { total.load(ordering: .relaxed) }
}

/// A generator of identifiers that are unique in this process.
package final class IDGenerator: Sendable {
  package static let connections = IDGenerator()

  private let last = Atomic<UInt64>(0)

  package func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
