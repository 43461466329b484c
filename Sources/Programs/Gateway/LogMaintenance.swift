import StateStore

/// Removes old entries of the disclosure log (the log of fixes sent to apps), and verifies the log at the start of the
/// gateway and after a failure. The work has many short steps, and the gateway handles other events and commands between
/// two steps.
enum LogMaintenance {
  /// Removes old entries from the disclosure log (the log of fixes sent to apps), and writes the anchor (a separate
  /// record of the end of the log). The function verifies the log first if this is the first maintenance after the
  /// start, or if the last verification or maintenance failed.
  /// - Parameter verifies: Whether to verify the log in any case.
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

  /// Verifies all entries of the disclosure log (the log of fixes sent to apps), and also stores the result in
  /// `LogUpkeep`.
  static func verify(on gateway: isolated Gateway) async throws -> LogVerification {
    var verifier = try gateway.router.disclosures.log.beginVerification()
    while try gateway.router.disclosures.log.continueVerification(&verifier) { try await gateway.yield() }
    gateway.submit { router, _ in router.disclosures.log.upkeep.note(verifier.result, &router.outputs) }
    return verifier.result
  }
}
