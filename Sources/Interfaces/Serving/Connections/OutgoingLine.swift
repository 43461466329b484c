import Base
import Ports
import LineProtocol
import NIOCore

/// A line to a client, with a rule for the time in the send queue: which line replaces another, and when the line
/// expires.
struct OutgoingLine: Sendable {
  enum Rule: Hashable, Sendable {
    /// A reply to a command. The count of waiting replies has no limit.
    case reply
    /// A report of an event, for example of a press of the button. If too many events wait, the gateway closes the
    /// connection.
    case event
    /// A periodic report in another protocol, for example gpsd. A new report replaces a waiting report.
    case beat
    /// A report of the present state of a topic, for example of the GNSS receiver. A new report replaces a waiting
    /// report with the same topic and subscription id (`sid`).
    case state(Topic, sid: String)
    /// A fix of a stream of updates. If too many fixes wait, a new fix replaces the oldest one. The next sent fix of
    /// the subscription (`sid`) contains the count of dropped fixes.
    case updates(sid: String)
    /// A one-time fix, or the message that the device entered or left a region. The line expires at the instant
    /// `until`, when the indicator (LED) no longer shows that an app receives location. A new line replaces a waiting
    /// line with the same message id.
    case once(message: Int?, until: MonotonicInstant)
  }

  /// The bytes of the line with the line end.
  let bytes: ByteBuffer
  let rule: Rule

  init(_ bytes: ByteBuffer, _ rule: Rule) {
    self.bytes = bytes
    self.rule = rule
  }

  /// Creates an outgoing line from a protocol line without a position. The kind of the protocol line determines the
  /// rule.
  init(_ line: ServerLine) {
    self.init(line.bytes, Rule(line))
  }

  /// The kind of fix in the line; empty if the line contains no fix.
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
