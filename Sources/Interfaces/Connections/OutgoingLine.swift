import Clocks
import LineFraming
import LineProtocol
import NIOCore
import Ports

/// A line to a client, and the rule for it while it waits.
struct OutgoingLine: Sendable {
  enum Rule: Hashable, Sendable {
    /// It waits. There are no more replies than commands that were read.
    case reply
    /// It waits. If too many events wait, the connection is closed.
    case event
    /// Only the newest waits: a text of another protocol that is repeated.
    case beat
    /// Only the newest of the topic and subscription waits.
    case state(Topic, sid: String)
    /// The oldest are dropped for newer ones, and the next that is sent has their number.
    case updates(sid: String)
    /// It waits while the indicator shows it. Of one message, by its number, only the newest waits.
    case once(message: Int?, until: MonotonicInstant)
  }

  /// The line with its line end.
  let bytes: ByteBuffer
  let rule: Rule

  init(_ bytes: ByteBuffer, _ rule: Rule) {
    self.bytes = bytes
    self.rule = rule
  }

  /// A line that carries no position.
  init(_ line: ServerLine) {
    self.init(line.bytes, Rule(line))
  }

  /// The kind of fix; empty if the line is no fix.
  var fixes: FixKinds {
    switch rule {
    case .updates: .updates
    case .once: .once
    case .reply, .event, .beat, .state: []
    }
  }
}

extension OutgoingLine.Rule {
  fileprivate init(_ line: ServerLine) {
    guard case .message(let message) = line else {
      self = .reply
      return
    }
    switch Topic(rawValue: message.topic) {
    case .indicator?: self = .state(.indicator, sid: message.sid)
    case .authorization?: self = .state(.authorization, sid: message.sid)
    case .receiver?: self = .state(.receiver, sid: message.sid)
    // The messages of a list, which belong to a reply, have no subscription.
    case .buttonPress?, .regions?, .ownerPrompt?, .ownerNotification?, .ownerApps?, .ownerLog?, .ownerRegions?,
      .ownerSessions?, .ownerSky?, .ownerMetrics?, nil:
      self = message.sid == "-" ? .reply : .event
    case .fixOnce?, .fixUpdates?: preconditionFailure("a fix is sent by a call of its own")
    }
  }
}
