package import Authorization
package import Base
package import LineProtocol

/// The content of a log entry about one disclosure (a release of location data to an app). The log never contains the
/// location.
package struct DisclosureEntry: Hashable, Sendable {
  package var app: AppID
  package var accuracy: FixAccuracy
  package var right: Right
  /// The transport over which the app gets the location, for example `unix` or `mqtt`.
  package var transport: String
  /// Whether the gateway accepted simulated presses of the button. The value is also true for every location from a
  /// simulation or a recording.
  package var isSimulated: Bool
  /// Whether the location is sent late, because its output, such as an MQTT broker, was not reachable.
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

/// The outcome of a disclosure (a release of location data to an app).
package enum DisclosureOutcome: String, Hashable, Sendable, CaseIterable {
  case acknowledged
  /// The location was sent, without an acknowledgement.
  case sent
  /// The app received a message that the device entered or left a region, but no position.
  case region
  /// The location expired before it was sent or acknowledged.
  case expired
  /// The location was erased before its delivery, for example because the app lost its authorization or the gateway was
  /// locked.
  case erased
  /// The location could not be sent while the indicator (the LED) showed the disclosure. The location stays in the
  /// state store, and a later log entry records the late disclosure.
  case postponed
  /// The daemon ended before the outcome was known.
  case lost
}

/// The reason why a series of continuous updates to an app ended.
package enum IntervalEnd: String, Hashable, Sendable, CaseIterable {
  /// The app stopped the updates, or ended its session.
  case stopped
  case outOfUse
  /// The app's authorization was revoked or reduced.
  case revoked
  case locked
  /// The indicator (the LED) was not visible.
  case indicator
  case shutdown
  /// The daemon ended before it wrote the end of the updates to the log.
  case lost
}

/// The way in which a user or an owner answered a prompt (a question about an app).
package enum AnswerWay: Hashable, Sendable {
  case button
  case console
  case page
  /// A command on the owners' socket, by the system user with this user ID.
  case socket(user: UInt32)
}

/// The content of a log entry about an answer to a prompt (a question to the user about an app).
package struct AnswerEntry: Hashable, Sendable {
  package var app: AppID
  package var prompt: Prompt.Kind
  package var choice: PromptChoice
  /// The accuracy that the user chose together with the answer; nil if the user chose none.
  package var accuracy: FixAccuracy?
  /// The purpose of the app as the prompt showed it; nil if no text was shown, or if the text had no purpose.
  package var purpose: String?
  /// The language of the prompt's text as a BCP 47 tag; nil if no text was shown, for example because only the LED
  /// showed the prompt.
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

/// An entry of the disclosure log, which records every release of location data.
package struct LogEntry: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    /// One location is released to an app.
    case disclosure(DisclosureEntry)
    /// The outcome of the release that the entry with this sequence number recorded.
    case outcome(DisclosureOutcome, of: Int64)
    /// A series of continuous updates to an app begins, with any count of fixes.
    case interval(DisclosureEntry)
    /// The end of the series of updates that the entry with this sequence number recorded. `fixes` is the count of
    /// disclosed fixes; nil if the count is unknown.
    case end(IntervalEnd, fixes: Int?, of: Int64)
    /// A user answered a prompt (a question about an app).
    case answer(AnswerEntry)
    /// A temporary authorization from an owner has ended. The values are the permission that ended, and the status that
    /// applies again.
    case rightEnd(of: Right, AuthorizationStatus)
  }

  /// The sequence number of the entry. The numbers start at 1, have no gaps, and are never used twice.
  package let sequence: Int64
  /// The time at which the entry was written, with milliseconds.
  package let time: UTCTime
  package let app: AppID
  package let event: Event
}
