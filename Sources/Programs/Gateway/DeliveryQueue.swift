import Authorization
import Base
import Disclosure
import LineProtocol

/// The one-time fixes with an unfinished delivery. A sent fix waits for the acknowledgement of its client. The fix for
/// a gpsd client can wait for the command `?POLL`. The queue exists only in memory.
struct DeliveryQueue {
  /// A set of fixes in the queue to erase.
  enum Range: Hashable {
    case session(SessionID)
    /// The fix that waits for the command `?POLL` of the gpsd client in this session.
    case kept(SessionID)
    case app(AppID)
    case all
  }

  private var deliveries: [Delivery] = []

  mutating func add(_ delivery: Delivery) { deliveries.append(delivery) }

  /// Removes the fix that its client has acknowledged.
  /// - Returns: The removed fix; nil if the queue has no such fix.
  mutating func acknowledge(_ session: SessionID, messageID: Int) -> Delivery? {
    index(session, messageID).map { deliveries.remove(at: $0) }
  }

  /// Returns the unacknowledged fixes of a client that has reconnected. The caller sends these fixes again.
  mutating func resume(_ session: SessionID) -> [Delivery] {
    deliveries.indices.filter { deliveries[$0].session == session }.map { index in
      deliveries[index].resume()
      return deliveries[index]
    }
  }

  /// Removes a fix that was sent as the answer to `?POLL` of a gpsd client.
  mutating func fetch(_ delivery: Delivery) { deliveries.removeAll { $0.request == delivery.request } }

  /// Removes and returns a set of fixes, so that the fixes are not sent again.
  mutating func erase(_ range: Range) -> [Delivery] { remove { range.contains($0) } }

  /// Removes the expired fixes.
  /// - Returns: The expired fixes, and the fixes without an acknowledgement that must be sent again now.
  mutating func pass(to now: MonotonicInstant) -> (expired: [Delivery], due: [Delivery]) {
    let expired = remove { $0.expires <= now }
    let due = deliveries.indices.filter { deliveries[$0].nextDeadline <= now }.map { index in
      deliveries[index].passDeadline(at: now)
      return deliveries[index]
    }
    return (expired, due)
  }

  var nextDeadline: MonotonicInstant? { deliveries.map(\.nextDeadline).min() }

  /// The fixes that wait for the command `?POLL` of their gpsd clients.
  var kept: [Delivery] { deliveries.filter(\.isKept) }

  func contains(_ session: SessionID, messageID: Int) -> Bool { index(session, messageID) != nil }

  private func index(_ session: SessionID, _ messageID: Int) -> Int? {
    deliveries.firstIndex { $0.session == session && $0.messageID == messageID }
  }

  private mutating func remove(where isMeant: (Delivery) -> Bool) -> [Delivery] {
    let removed = deliveries.filter(isMeant)
    deliveries.removeAll(where: isMeant)
    return removed
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
