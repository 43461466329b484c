package import Authorization
package import Clocks

/// A disclosure as the log records it: the app, the accuracy, the right and the transport, but never the location.
package struct DisclosureEntry: Hashable, Sendable {
  package var app: AppID
  package var accuracy: Accuracy
  package var right: Right
  /// The transport, for example `unix` or `mqtt`.
  package var transport: String
  /// Whether the location comes from a simulation or a recording.
  package var isSimulated: Bool
  /// Whether the location is disclosed later than the press, from the outbox.
  package var isLate: Bool

  package init(
    app: AppID, accuracy: Accuracy, right: Right, transport: String, isSimulated: Bool, isLate: Bool = false
  ) {
    self.app = app
    self.accuracy = accuracy
    self.right = right
    self.transport = transport
    self.isSimulated = isSimulated
    self.isLate = isLate
  }
}

/// The outcome of a disclosure.
package enum DisclosureOutcome: String, Hashable, Sendable, CaseIterable {
  /// The app acknowledged the location.
  case acknowledged
  /// The location was sent; the app sent no acknowledgement.
  case sent
  /// The app received a crossing of its region's border, but no position.
  case region
  /// The location expired before it was sent.
  case expired
  /// The location was withdrawn before it was sent.
  case erased
  /// The location could not be sent while the indicator was on. It stays in the outbox, and a late entry follows.
  case postponed
  /// The gateway ended before the outcome was known.
  case lost
}

/// The reason for which an interval of continuous disclosure ended.
package enum IntervalEnd: String, Hashable, Sendable, CaseIterable {
  /// The app stopped the updates or disconnected.
  case stopped
  /// The app was no longer in use.
  case outOfUse
  /// A right was revoked or reduced.
  case revoked
  /// The kill switch was activated.
  case locked
  /// The indicator could not be shown.
  case indicator
  /// The gateway was stopped.
  case shutdown
  /// The gateway ended before the end was known.
  case lost
}

/// An entry of the disclosure log.
package struct LogEntry: Hashable, Sendable {
  /// The content of an entry.
  package enum Event: Hashable, Sendable {
    /// Opens a disclosure of one location.
    case disclosure(DisclosureEntry)
    /// Closes the disclosure with this sequence number.
    case outcome(DisclosureOutcome, of: Int64)
    /// Opens an interval, in which any number of fixes may be disclosed.
    case interval(DisclosureEntry)
    /// Closes the interval with this sequence number. `fixes` is the number of disclosed fixes; nil if it is unknown.
    case end(IntervalEnd, fixes: Int?, of: Int64)
  }

  /// The number of the entry: consecutive numbers from 1, never used twice.
  package let sequence: Int64
  /// The time of writing, with milliseconds.
  package let time: UTCTime
  package let app: AppID
  package let event: Event

  package init(sequence: Int64, time: UTCTime, app: AppID, event: Event) {
    self.sequence = sequence
    self.time = time
    self.app = app
    self.event = event
  }
}
