import Synchronization

/// Gives every connection a number of its own.
package final class Numbers: Sendable {
  private let last = Atomic<UInt64>(0)

  package func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
