package import Authorization
package import Base
package import LineProtocol

/// The content of a log entry about one disclosure (a release of location data to an app). The log never contains a
/// position.
package struct DisclosureEntry: Hashable, Sendable {
  package var app: AppID
  package var accuracy: FixAccuracy
  package var right: Right
  /// The transport to the app, for example `unix` (a Unix socket) or `mqtt`.
  package var transport: String
  /// Whether the gateway accepted simulated presses of the button, or the position came from a simulation or a
  /// recording.
  package var isSimulated: Bool
  /// Whether the location is sent late, because its sink (the receiving service, such as an MQTT broker) was not
  /// reachable.
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
  /// The location was sent over a transport without acknowledgements.
  case sent
  /// The app received a message that the device entered or left a region (a circle on the ground), but no position.
  case region
  /// The location expired before it was sent or acknowledged.
  case expired
  /// The location was erased before any byte of it was sent, for example because the app lost its authorization.
  case erased
  /// The location could not be sent while the LED was on. The location stays in the state store, and a later log entry
  /// records its transmission.
  case postponed
  /// The output, for example a web server, refused the location finally, so the app does not get it.
  case refused
  /// The outcome is unknown: the location may have arrived, but the gateway has no acknowledgement. For example, the
  /// app ended its session or lost its authorization before its acknowledgement, or the daemon ended too early.
  case lost
}

/// The reason why a series of fixes to an app ended.
package enum IntervalEnd: String, Hashable, Sendable, CaseIterable {
  /// The app stopped the updates, or ended its session.
  case stopped
  case outOfUse
  /// The app's authorization was revoked or reduced.
  case revoked
  case locked
  case indicator
  case shutdown
  /// The reason is unknown, because the daemon ended during the series.
  case lost
}

/// The way in which a user or an owner answered a prompt (a question to the user about an app).
package enum AnswerWay: Hashable, Sendable {
  case button
  case console
  case page
  /// A command from the system user with this user ID, over the Unix socket for owners.
  case socket(user: UInt32)
}

/// The content of a log entry about an answer to a prompt (a question to the user about an app).
package struct AnswerEntry: Hashable, Sendable {
  package var app: AppID
  package var prompt: Prompt.Kind
  package var choice: PromptChoice
  /// The accuracy that the user chose with the answer; nil if the user chose none.
  package var accuracy: FixAccuracy?
  /// The purpose that the prompt (the question to the user) quoted from the app; nil if the prompt quoted none.
  package var purpose: String?
  /// The language of the prompt (question to the user) as a BCP 47 tag; nil if no text was shown. An LED alone shows a
  /// prompt without text.
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
    case disclosure(DisclosureEntry)
    /// The outcome of a disclosure (release of location data). `of` is the sequence number of the log entry about the
    /// disclosure.
    case outcome(DisclosureOutcome, of: Int64)
    /// The beginning of a series of fixes to an app.
    case interval(DisclosureEntry)
    /// The end of a series of fixes. `fixes` is the count of fixes in the series; nil if unknown. `of` is the sequence
    /// number of the log entry about the beginning.
    case end(IntervalEnd, fixes: Int?, of: Int64)
    case answer(AnswerEntry)
    /// The end of a temporary authorization. The values are the authorization that ended, and the status that applies
    /// again.
    case rightEnd(of: Right, AuthorizationStatus)
  }

  /// The sequence number of the entry. The numbers start at 1, have no gaps, and are never used twice.
  package let sequence: Int64
  /// The time at which the gateway wrote the entry, with a resolution of milliseconds.
  package let time: UTCTime
  package let app: AppID
  package let event: Event
}
