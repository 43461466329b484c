import Base
import StateStore

/// The maintenance and the verification of the log, in steps. The gateway handles other inputs between two steps.
enum LogMaintenance {
  /// Removes old entries from the log, and writes the anchor of the log. The anchor is a record of the log's end that
  /// is stored outside the state. If the last verification or maintenance failed, the function first verifies the log.
  /// - Parameter verifies: if true, the log is verified in any case.
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

  /// Verifies the whole log.
  static func verify(on gateway: isolated Gateway) async throws -> LogVerification {
    var verifier = try gateway.router.disclosures.log.beginVerification()
    while try gateway.router.disclosures.log.continueVerification(&verifier) { try await gateway.yield() }
    gateway.submit { router, _ in router.disclosures.log.upkeep.note(verifier.result, &router.outputs) }
    return verifier.result
  }
}
