import Glibc
package import Testing

/// A wait for an event that an idle machine shows at once.
package struct Patience {
  private let start = ContinuousClock.now
  private let computed = Self.computed
  private let usual: Duration

  /// - Parameter usual: The longest wait on an idle machine.
  package init(_ usual: Duration = .seconds(20)) { self.usual = usual }

  /// The end of the wait, at this moment: the longest wait on an idle machine, multiplied by the number of tasks that share a core of
  /// the machine (the load average of the last minute). The time in which this process computes does not count, up to
  /// three minutes: other tests of the process keep the event away.
  package var deadline: ContinuousClock.Instant {
    let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let own = min(.seconds(180), (Self.computed - computed) / cores)
    var load = 0.0
    guard unsafe getloadavg(&load, 1) == 1 else { return start + .seconds(180) + own }
    return start + usual * max(1, load / Double(cores)) + own
  }

  package var hasEnded: Bool { ContinuousClock.now >= deadline }

  /// The time for which this process has used a core.
  private static var computed: Duration {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// Cancels a test that waits longer than `Patience` permits.
package struct PatientTrait: TestTrait, SuiteTrait, TestScoping {
  package let isRecursive = true
  fileprivate let usual: Duration

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await function() }
        tasks.addTask {
          let (start, patience) = (ContinuousClock.now, Patience(usual))
          while !patience.hasEnded { try await ContinuousClock().sleep(until: patience.deadline) }
          Issue.record("the test waited in vain for \(ContinuousClock.now - start)")
        }
        defer { tasks.cancelAll() }
        try await tasks.next()
      }
    }
  }
}

extension Trait where Self == PatientTrait {
  /// A test that waits, and that ends within seconds if it waits in vain.
  package static var patient: Self { patient(.seconds(20)) }

  /// A test that waits longer than others also on an idle machine, at most for this time.
  package static func patient(_ usual: Duration) -> Self { Self(usual: usual) }
}

/// Waits until the task is cancelled, and then throws the error of the cancellation.
package func waitForCancellation() async throws {
  let (nothing, source) = AsyncStream.makeStream(of: Void.self)
  for await _ in nothing {}
  withExtendedLifetime(source) {}
  try Task.checkCancellation()
}
