import Authorization
import Clocks
import Disclosure
import LineProtocol
import StateStore

/// The one-time fixes that were sent but not acknowledged yet, and those that are kept for clients that poll. These fixes
/// exist in memory only.
struct DeliveryQueue {
  enum Input {
    case add(Delivery)
    case acknowledge(SessionID, messageID: Int)
    /// The session's client has reconnected, so its fixes are sent again.
    case resume(SessionID)
    /// A fix that was kept for a client that polls was sent.
    case fetched(Delivery)
    /// Removes the fixes of a session, of one app or of all apps. They are not sent again.
    case erase(Range)
    case timePassed
  }

  enum Range: Hashable {
    case session(SessionID)
    /// The fix that is kept for the client of a session, which polls.
    case kept(SessionID)
    case app(AppID)
    case all
  }

  private var deliveries: [Delivery] = []

  mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .add(let delivery):
      deliveries.append(delivery)
      return []
    case .acknowledge(let session, let messageID):
      guard let index = index(session, messageID) else { return [] }
      return outcomes(.acknowledged, [deliveries.remove(at: index)])
    case .resume(let session):
      return deliveries.indices.filter { deliveries[$0].session == session }.map { index in
        deliveries[index].resume()
        return .redeliver(deliveries[index])
      }
    case .fetched(let delivery):
      deliveries.removeAll { $0.request == delivery.request }
      return outcomes(.sent, [delivery])
    case .erase(let range): return remove(.erased) { range.contains($0) }
    case .timePassed:
      let expired = remove(.expired) { $0.expires <= now }
      return expired
        + deliveries.indices.filter { deliveries[$0].nextDeadline <= now }.map { index in
          deliveries[index].passDeadline(at: now)
          return .redeliver(deliveries[index])
        }
    }
  }

  var nextDeadline: MonotonicInstant? { deliveries.map(\.nextDeadline).min() }

  /// The fixes that are kept for clients that poll.
  var kept: [Delivery] { deliveries.filter(\.isKept) }

  func contains(_ session: SessionID, messageID: Int) -> Bool { index(session, messageID) != nil }

  private func index(_ session: SessionID, _ messageID: Int) -> Int? {
    deliveries.firstIndex { $0.session == session && $0.messageID == messageID }
  }

  private mutating func remove(_ outcome: DisclosureOutcome, where isMeant: (Delivery) -> Bool) -> [Action] {
    let removed = deliveries.filter(isMeant)
    deliveries.removeAll(where: isMeant)
    // The request of a client that polls lasts until the client has received its fix.
    return outcomes(outcome, removed)
      + removed.filter(\.isKept).map { .endRequest($0.request, LineError(.expired, "the kept fix was erased")) }
  }

  private func outcomes(_ outcome: DisclosureOutcome, _ deliveries: [Delivery]) -> [Action] {
    deliveries.isEmpty ? [] : [.close(deliveries.map { .outcome(outcome, of: $0.entry) })]
  }
}

extension DeliveryQueue.Range {
  fileprivate func contains(_ delivery: Delivery) -> Bool {
    switch self {
    case .session(let session): delivery.session == session
    case .kept(let session): delivery.session == session && delivery.isKept
    case .app(let app): delivery.app == app
    case .all: true
    }
  }
}
