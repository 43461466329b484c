import Clocks
import LineFraming
import LineProtocol
import NIOCore
import Ports

/// A line to a client, and the rule for it while it waits.
struct OutgoingLine: Sendable {
  enum Rule: Hashable, Sendable {
    /// A reply waits without a limit, because there are no more replies than received commands.
    case reply
    /// An event waits. If too many events wait, the connection is closed.
    case event
    /// A repeated text of another protocol. Only the newest text waits.
    case beat
    /// A state. Only the newest line of the topic and subscription waits.
    case state(Topic, sid: String)
    /// An update. Newer updates replace the oldest updates in the queue, and the next sent update contains the number
    /// of dropped updates.
    case updates(sid: String)
    /// A one-time fix or a region's event, which waits while the indicator shows it. Of one message, identified by its
    /// number, only the newest line waits.
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
