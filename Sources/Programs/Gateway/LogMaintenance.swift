import Base
import StateStore

/// Removes old entries of the log of disclosures, and verifies the others. Both works have many short steps, so that the
/// gateway handles other inputs between two steps.
enum LogMaintenance {
  /// Removes old entries from the disclosure log, and writes its anchor. The anchor is a record of the end of the log,
  /// outside the store. If the last verification or maintenance failed, the function verifies the log first.
  /// - Parameter verifies: Whether the log is verified in any case.
  static func run(verifies: Bool = false, on gateway: isolated Gateway) async throws {
    do {
      if verifies || gateway.router.disclosures.log.upkeep.needsVerification { _ = try await verify(on: gateway) }
    } catch let error as StoreError {
      gateway.submit { router, _ in router.disclosures.log.upkeep.note(unreadable: error, &router.outputs) }
    }
    gateway.submit { router, now in router.maintainLog(at: now) }
    while gateway.router.disclosures.log.upkeep.isPruning {
      try await gateway.yield()
      gateway.submit { router, _ in router.disclosures.log.prune(&router.outputs) }
    }
  }

  /// Verifies the whole disclosure log, and returns the result.
  static func verify(on gateway: isolated Gateway) async throws -> LogVerification {
    var verifier = try gateway.router.disclosures.log.beginVerification()
    while try gateway.router.disclosures.log.continueVerification(&verifier) { try await gateway.yield() }
    gateway.submit { router, _ in router.disclosures.log.upkeep.note(verifier.result, &router.outputs) }
    return verifier.result
  }
}
