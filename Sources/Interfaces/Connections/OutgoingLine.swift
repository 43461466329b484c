import Clocks
import LineFraming
import LineProtocol
import NIOCore
import Ports

/// A line to a client. The rule of the line applies while the line waits in the connection's queue.
struct OutgoingLine: Sendable {
  enum Rule: Hashable, Sendable {
    /// The line is a reply to a command. The number of waiting replies has no limit, because each reply answers a
    /// command that the gateway has read.
    case reply
    /// The line reports an event. If too many events wait, the gateway closes the connection.
    case event
    /// The line is a periodic report of a protocol other than the gateway's own, for example of gpsd. While the line
    /// waits, a new report replaces it.
    case beat
    /// The line reports a state, for example the state of the receiver. While the line waits, a new line of the same
    /// topic and the same subscription replaces it.
    case state(Topic, sid: String)
    /// The line contains a fix of a stream of updates. If too many such lines wait, a new line replaces the oldest one.
    /// The next fix that is sent contains the number of dropped fixes.
    case updates(sid: String)
    /// The line contains a one-time fix, or the notification that the device crossed the border of a region. The
    /// indicator shows until the instant `until` that the app receives location. The line may be sent only until this
    /// instant. If the message has a number, and a line with the same number already waits, the new line replaces the
    /// waiting line.
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
    // Messages with the subscription `-` are elements of a list. A list belongs to a reply.
    case .buttonPress?, .regions?, .ownerPrompt?, .ownerNotification?, .ownerApps?, .ownerLog?, .ownerRegions?,
      .ownerSessions?, .ownerSky?, .ownerMetrics?, nil:
      self = message.sid == "-" ? .reply : .event
    case .fixOnce?, .fixUpdates?: preconditionFailure("a fix is sent by a call of its own")
    }
  }
}
