import Base
import Channels
import LineProtocol
import NIOCore
import Ports

/// A line to a client, with the rule that applies while the line waits in the connection's send queue.
struct OutgoingLine: Sendable {
  enum Rule: Hashable, Sendable {
    /// A reply to a command. The number of waiting replies has no limit.
    case reply
    /// The report of an event, for example of a press of the button. If too many events wait, the gateway closes the
    /// connection.
    case event
    /// A periodic report of another protocol, for example of gpsd. A new report replaces a waiting report.
    case beat
    /// The report of the present state of a topic, for example of the receiver. A new line replaces a waiting line of
    /// the same topic and subscription.
    case state(Topic, sid: String)
    /// A fix of a stream of updates. If too many updates wait, a new update replaces the oldest waiting update. The
    /// next sent update of the subscription contains the number of dropped updates.
    case updates(sid: String)
    /// A one-time fix, or the notification that the device crossed the border of a region. At the instant `until`, the
    /// indicator stops showing the disclosure, so the line must not be sent later. A new line replaces a waiting line
    /// with the same message number.
    case once(message: Int?, until: MonotonicInstant)
  }

  /// The bytes of the line, including the line end.
  let bytes: ByteBuffer
  let rule: Rule

  init(_ bytes: ByteBuffer, _ rule: Rule) {
    self.bytes = bytes
    self.rule = rule
  }

  /// Creates a line without a position.
  init(_ line: ServerLine) {
    self.init(line.bytes, Rule(line))
  }

  /// The kind of fix that the line contains; empty if the line contains no fix.
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
    // Messages with the subscription `-` are elements of a list, which belongs to a reply.
    case .buttonPress?, .regions?, .ownerPrompt?, .ownerNotification?, .ownerApps?, .ownerButton?, .ownerLog?,
      .ownerRegions?,
      .ownerPlaces?, .ownerSessions?, .ownerSky?, .ownerMetrics?, nil:
      self = message.sid == "-" ? .reply : .event
    case .fixOnce?, .fixUpdates?: preconditionFailure("a fix is sent by a call of its own")
    }
  }
}
