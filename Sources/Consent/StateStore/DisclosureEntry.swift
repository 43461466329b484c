package import Authorization
package import Clocks
package import LineProtocol

/// The record of a disclosure in the log: the app, the accuracy, the right and the transport, but never the location.
package struct DisclosureEntry: Hashable, Sendable {
  package var app: AppID
  package var accuracy: FixAccuracy
  package var right: Right
  /// The transport, for example `unix` or `mqtt`.
  package var transport: String
  /// Whether the location comes from a simulation or a recording.
  package var isSimulated: Bool
  /// Whether the disclosure is late, because the fix waited for an MQTT broker.
  package var isLate: Bool

  package init(
    app: AppID, accuracy: FixAccuracy, right: Right, transport: String, isSimulated: Bool, isLate: Bool = false
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
  /// The gateway sent the location. The app sent no acknowledgement.
  case sent
  /// The app received only the message that the device crossed the border of a region. The app received no position.
  case region
  /// The location expired before the gateway sent it, or before the app acknowledged it.
  case expired
  /// The gateway erased the location before it was delivered, for example because a right was revoked or the gateway
  /// was locked.
  case erased
  /// The gateway could not send the location to the broker in time. After a press, the gateway may send the location
  /// only while the indicator is on. The location stays in the store, and a later entry records its late disclosure.
  case postponed
  /// The daemon ended before the gateway knew the outcome.
  case lost
}

/// The reason why an interval of continuous disclosure ended.
package enum IntervalEnd: String, Hashable, Sendable, CaseIterable {
  /// The app stopped the updates, or ended its session.
  case stopped
  /// The app was no longer in use.
  case outOfUse
  /// An owner or a user revoked or reduced the app's right.
  case revoked
  /// A user or an owner locked the gateway.
  case locked
  /// A user could not see the indicator.
  case indicator
  /// The daemon was stopped.
  case shutdown
  /// The daemon ended before it wrote the end of the interval to the log.
  case lost
}

/// An entry of the disclosure log.
package struct LogEntry: Hashable, Sendable {
  /// The content of an entry.
  package enum Event: Hashable, Sendable {
    /// The entry opens a disclosure of one location.
    case disclosure(DisclosureEntry)
    /// The entry closes the disclosure that the entry with this sequence number opened.
    case outcome(DisclosureOutcome, of: Int64)
    /// The entry opens an interval of updates, in which the gateway may disclose any number of fixes.
    case interval(DisclosureEntry)
    /// The entry closes the interval that the entry with this sequence number opened. `fixes` is the number of
    /// disclosed fixes; nil if it is unknown.
    case end(IntervalEnd, fixes: Int?, of: Int64)
  }

  /// The sequence number of the entry. The numbers start at 1, have no gaps, and are never used twice.
  package let sequence: Int64
  /// The time at which the entry was written, with milliseconds.
  package let time: UTCTime
  package let app: AppID
  package let event: Event
}
