import Authorization
import LineProtocol
import Ports
import Logging
import OperatingSystem

/// The configuration, read again while the gateway runs.
extension Gateway {
  /// Reads it: it holds as a whole from now on, or nothing changes.
  ///
  /// What it takes away ends before the next byte leaves: sessions of clients that may not be their app any more, and what
  /// runs under rights that it lowers. Keys of apps that may have none any more are erased.
  /// - Returns: the keys of it that were changed and hold from the next start on only.
  /// - Throws: what is wrong with it, with file and line.
  package func reload() throws -> [String] {
    guard let read = setup.reload else {
      throw LineError(.unknownVerb, "this gateway has no configuration to read again")
    }
    let new: Reconfiguration
    do {
      new = try read()
    } catch {
      loggers.gateway.error("the configuration was not taken; the one before holds", metadata: ["cause": "\(error)"])
      configurationNote = "the configuration on the disk is not good: that before it holds"
      settle(at: SystemClock.monotonic)
      throw error
    }
    let former = policy
    policy = new.policy
    reconfiguration = new
    configurationNote = new.waiting.isEmpty ? nil : "from the next start on: \(new.waiting.joined(separator: ", "))"
    new.putInForce()
    for app in former.keyedApps.subtracting(policy.keyedApps).sorted() { forgetKey(of: app) }
    keyring.fill(from: store, for: policy.keyedApps.subtracting(former.keyedApps), loggers.gateway)
    for session in sessions.values.sorted(by: { $0.id < $1.id }) {
      guard !new.admits(Identity(session.app, by: session.proof), session.peer, session.transport) else { continue }
      expel(session, Self.disowned)
    }
    handle(.ordered(.configure(policy.authorization)))
    loggers.gateway.notice(
      "the configuration was read again",
      metadata: ["from the next start on": "\(new.waiting.isEmpty ? "nothing" : new.waiting.joined(separator: ", "))"])
    return new.waiting
  }

  static var disowned: LineError { LineError(.authFailed, "the configuration does not let you be that app any more") }

  /// Ends a session whose client is not the app any more.
  func expel(_ session: Session, _ error: LineError) {
    let connection = session.connection
    end(session.id)
    connection?.recall(.all)
    connection?.refuse(error)
  }
}
