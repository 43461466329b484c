import Base
import LineProtocol
import NIOCore
import Ports

/// A protocol line in the send queue of a client. Its property `rule` determines which older line the line replaces,
/// and when the line expires.
struct OutgoingLine: Sendable {
  enum Rule: Hashable, Sendable {
    /// A reply to a command. Any number of replies may wait.
    case reply
    /// A report of an event, for example of a press of a button. If the queue is full of events, the gateway closes the
    /// connection.
    case event
    /// A periodic report for a client of another protocol, such as gpsd. A new report replaces a waiting report.
    case beat
    /// A report of a present state, for example of the GNSS receiver. A new report replaces a waiting report about the
    /// same state and subscription (`sid`).
    case state(Topic, sid: String)
    /// A fix of continuous updates (a stream of fixes). If too many fixes wait, a new fix replaces the oldest fix. The
    /// next fix of the subscription (`sid`) contains the count of dropped fixes.
    case updates(sid: String)
    /// A one-time fix, or the message that the device entered or left a region (a circle on the ground). The protocol
    /// line expires at the instant `until`, when the indicator (status LED) stops showing the use of the location. A
    /// new line replaces a waiting line with the same message id.
    case once(message: Int?, until: MonotonicInstant)
  }

  let bytes: ByteBuffer
  let rule: Rule

  init(_ bytes: ByteBuffer, _ rule: Rule) {
    self.bytes = bytes
    self.rule = rule
  }

  /// Creates an outgoing line from a protocol line without a position. The kind of the protocol line determines the
  /// property `rule`.
  init(_ line: ServerLine) {
    self.init(line.bytes, Rule(line))
  }

  /// The kind of the fix in the protocol line (one-time or continuous), as a set. The set is empty if the line contains
  /// no fix.
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
