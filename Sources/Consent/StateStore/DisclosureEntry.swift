package import Authorization
package import Base
package import LineProtocol

/// The record of a disclosure in the disclosure log. The record never contains the location.
package struct DisclosureEntry: Hashable, Sendable {
  package var app: AppID
  package var accuracy: FixAccuracy
  package var right: Right
  /// The transport, for example `unix` or `mqtt`.
  package var transport: String
  /// Whether the gateway accepted simulated presses of the button, as with every location from a simulation or a
  /// recording.
  package var isSimulated: Bool
  /// Whether the disclosure is late because the fix waited for its output.
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
  case acknowledged
  /// The location was sent, without an acknowledgement.
  case sent
  /// The app received a message about a region event, but no position.
  case region
  /// The location expired before it was sent or acknowledged.
  case expired
  /// The location was erased before its delivery, for example because a right was revoked or the gateway was locked.
  case erased
  /// The location could not be sent to its output while the indicator was on. The location stays in the state store,
  /// and a later log entry records the late disclosure.
  case postponed
  /// The daemon ended before the outcome was known.
  case lost
}

/// The reason for the end of an interval of continuous disclosure.
package enum IntervalEnd: String, Hashable, Sendable, CaseIterable {
  /// The app stopped the updates, or ended its session.
  case stopped
  case outOfUse
  /// The app's right was revoked or reduced.
  case revoked
  case locked
  /// The indicator was not visible.
  case indicator
  case shutdown
  /// The daemon ended before it wrote the end of the interval to the log.
  case lost
}

/// The way in which a user or an owner answered a prompt.
package enum AnswerWay: Hashable, Sendable {
  case button
  case console
  case page
  /// A command on the owners' socket, by the system user with this user ID.
  case socket(user: UInt32)
}

/// The record of an answer to a prompt.
package struct AnswerEntry: Hashable, Sendable {
  package var app: AppID
  package var prompt: Prompt.Kind
  package var choice: PromptChoice
  /// The accuracy that the user chose together with the answer; nil if the user chose none.
  package var accuracy: FixAccuracy?
  /// The purpose of the app as the prompt showed it; nil if no text was shown, or if the text had no purpose.
  package var purpose: String?
  /// The language of the prompt's text as a BCP 47 tag; nil if no text was shown, for example because only the
  /// indicator showed the prompt.
  package var language: String?
  package var way: AnswerWay

  package init(
    app: AppID, prompt: Prompt.Kind, choice: PromptChoice, accuracy: FixAccuracy?, purpose: String?, language: String?,
    way: AnswerWay
  ) {
    self.app = app
    self.prompt = prompt
    self.choice = choice
    self.accuracy = accuracy
    self.purpose = purpose
    self.language = language
    self.way = way
  }
}

/// An entry of the disclosure log.
package struct LogEntry: Hashable, Sendable {
  /// The content of an entry.
  package enum Event: Hashable, Sendable {
    /// The entry opens a disclosure of one location.
    case disclosure(DisclosureEntry)
    /// The entry closes the disclosure with this sequence number.
    case outcome(DisclosureOutcome, of: Int64)
    /// The entry opens an interval of updates with any number of fixes.
    case interval(DisclosureEntry)
    /// The entry closes the interval with this sequence number. `fixes` is the number of disclosed fixes; nil if it is
    /// unknown.
    case end(IntervalEnd, fixes: Int?, of: Int64)
    /// The entry records an answer to a prompt.
    case answer(AnswerEntry)
    /// The entry records the end of an authorization that an owner gave for a time: the right that ended, and the status
    /// that came back.
    case rightEnd(of: Right, AuthorizationStatus)
  }

  /// The sequence number of the entry. The numbers start at 1, have no gaps, and are never used twice.
  package let sequence: Int64
  /// The time at which the entry was written, with milliseconds.
  package let time: UTCTime
  package let app: AppID
  package let event: Event
}
