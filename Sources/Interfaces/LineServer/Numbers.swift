import Synchronization

/// Counts what happens on any thread, and seldom.
package final class Tally: Sendable {
  private let total = Atomic<Int>(0)

  func add() { total.wrappingAdd(1, ordering: .relaxed) }

  package var count: Int { total.load(ordering: .relaxed) }
}

/// Gives every connection a number of its own.
package final class Numbers: Sendable {
  private let last = Atomic<UInt64>(0)

  package func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
