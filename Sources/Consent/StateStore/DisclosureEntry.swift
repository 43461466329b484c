package import Authorization
package import Clocks

/// A location that is about to be given: who gets it, how precise, by which right and over which way. Never where.
package struct DisclosureEntry: Hashable, Sendable {
  package var app: AppID
  package var accuracy: Accuracy
  package var right: Right
  /// As in `unix`, `mqtt`.
  package var transport: String
  /// The location is made up, or comes from a recording.
  package var isSimulated: Bool
  /// It is given after the time of the press, from the outbox.
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

/// What became of a disclosure.
package enum DisclosureOutcome: String, Hashable, Sendable, CaseIterable {
  /// The app said that it has it.
  case acknowledged
  /// It was handed over; the app said nothing.
  case sent
  /// The app was told that the border of its region was crossed, and was given no place.
  case region
  /// Its time ran out before it was handed over.
  case expired
  /// It was withdrawn before it was handed over.
  case erased
  /// It could not be handed over while the light told of it, and waits: an entry that is late follows.
  case postponed
  /// The gateway ended before it knew.
  case lost
}

/// Why a continuous use ended.
package enum IntervalEnd: String, Hashable, Sendable, CaseIterable {
  /// The app stopped it, or went away.
  case stopped
  /// The app was no longer in use.
  case outOfUse
  /// A right was taken away or lowered.
  case revoked
  /// By the kill switch.
  case locked
  /// The indicator could not be shown.
  case indicator
  /// The gateway was stopped.
  case shutdown
  /// The gateway ended before it knew.
  case lost
}

/// An entry of the disclosure log.
package struct LogEntry: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case disclosure(DisclosureEntry)
    /// Closes the disclosure with that sequence number.
    case outcome(DisclosureOutcome, of: Int64)
    /// A continuous use begins: any number of fixes may be given until it ends.
    case interval(DisclosureEntry)
    /// Closes the interval with that sequence number, in which so many fixes were given; nil where nobody knows.
    case end(IntervalEnd, fixes: Int?, of: Int64)
  }

  /// Grows by one with each entry, from 1; never used twice.
  package let sequence: Int64
  /// When it was written, to the millisecond.
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
