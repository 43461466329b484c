import Glibc
package import Testing

/// The time for which a test waits for an event that an idle machine shows at once.
package enum Patience {
  /// 20 s, multiplied by the number of tasks that share a core of the machine (the load average of the last minute).
  package static var limit: Duration {
    var load = 0.0
    guard unsafe getloadavg(&load, 1) == 1 else { return .seconds(180) }
    return .seconds(20) * max(1, load / Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
  }
}

/// Cancels a test that waits longer than `Patience` permits.
package struct PatientTrait: TestTrait, SuiteTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await function() }
        tasks.addTask {
          let start = ContinuousClock.now
          while ContinuousClock.now < start + Patience.limit {
            try await ContinuousClock().sleep(until: start + Patience.limit)
          }
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
  package static var patient: Self { Self() }
}
