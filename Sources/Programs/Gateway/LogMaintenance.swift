import Clocks
import StateStore

/// The work on the log that takes many steps. The gateway handles other inputs between two steps.
enum LogMaintenance {
  /// Removes old entries from the log, and writes the anchor of the log. The anchor is a record of the log's end that
  /// is stored outside the state. If the last verification or maintenance failed, the function first verifies the log.
  /// - Parameter verifies: if true, the log is verified in any case.
  static func run(verifies: Bool = false, on gateway: isolated Gateway) async throws {
    do {
      if verifies || gateway.router.log.needsVerification { _ = try await verify(on: gateway) }
    } catch let error as StoreError {
      gateway.submit { router, now in
        router.perform(router.log.handle(.unreadable(error), at: now.monotonic), at: now)
      }
    }
    gateway.submit { router, now in router.maintainLog(at: now) }
    while gateway.router.log.isPruning {
      try await gateway.yield()
      gateway.submit { router, now in router.perform(router.log.handle(.prune, at: now.monotonic), at: now) }
    }
  }

  static func verify(on gateway: isolated Gateway) async throws -> LogVerification {
    var verifier = try gateway.router.log.beginVerification()
    while try gateway.router.log.continueVerification(&verifier) { try await gateway.yield() }
    gateway.submit { router, now in
      router.perform(router.log.handle(.verified(verifier.result), at: now.monotonic), at: now)
    }
    return verifier.result
  }
}
