public import Clocks

/// A command of a client: one line of the protocol.
public enum Command: Hashable, Sendable {
  /// Opens the session: the app's id and the protocol versions of the client.
  case hello(Hello)
  /// Authenticates the app if the transport does not identify it.
  case authenticate(Credential)
  /// Subscribes to topics, with a subscription id of the client and quality of service 0 or 1.
  case subscribe(TopicFilter, sid: String, qos: Int?)
  /// Ends a subscription, immediately or after a number of further messages.
  case unsubscribe(sid: String, after: Int?)
  /// Requests one fix.
  case requestOnce(OnceRequest)
  /// Cancels the request for one fix.
  case cancel
  /// Starts updates, which continue until `stopUpdates`.
  case startUpdates(UpdatesRequest)
  /// Stops the updates.
  case stopUpdates
  /// Asks the user for an authorization. The purpose is the app's own text for the prompt.
  case authorize(AuthorizationWish, purpose: String?)
  /// Reports whether the app is in the background.
  case state(isInBackground: Bool)
  /// Adds, removes or lists the app's regions.
  case region(RegionCommand)
  /// Acknowledges the message with this id.
  case acknowledge(Int)
  /// Asks for the state of the session.
  case status
  /// Asks for a PONG, as a sign of life.
  case ping
  /// Lists the commands.
  case help
  /// Ends the session.
  case bye
  /// A command for owners only.
  case owner(OwnerCommand)
}

/// The arguments of HELLO, the first line of a client.
public struct Hello: Hashable, Sendable {
  /// The protocol versions that the client supports.
  public var versions: [Int]
  /// The app's id as the client claims it. The gateway verifies it.
  public var app: String?
  /// The keepalive interval in seconds, 0...86,400. After 1.5 times this interval without a line the gateway closes the
  /// session. 0 disables the timeout.
  public var keepalive: Int
  /// The token of the session to resume.
  public var session: String?
  /// 32 hexadecimal digits that the client generates for each connection, if it authenticates with a key.
  public var nonce: String?
  /// Whether each line, from the reply to HELLO on, ends with its checksum.
  public var usesCRC: Bool

  /// Creates the arguments of HELLO. By default the client supports version 1.
  public init(
    versions: [Int] = [1], app: String?, keepalive: Int = 60, session: String? = nil, nonce: String? = nil,
    usesCRC: Bool = false
  ) {
    self.versions = versions
    self.app = app
    self.keepalive = keepalive
    self.session = session
    self.nonce = nonce
    self.usesCRC = usesCRC
  }
}

/// The credential with which a client authenticates.
public enum Credential: Hashable, Sendable {
  /// The secret itself. Tokens are accepted over TLS only.
  case token(String)
  /// An HMAC-SHA-256 as 64 hexadecimal digits, which proves that the client has the key of its app.
  case hmac(String)
}

/// The accuracy of a fix, requested or disclosed.
public enum FixAccuracy: String, Hashable, Sendable, CaseIterable {
  /// The position as the receiver measured it.
  case full
  /// A node of a public lattice, about 1 to 2 km from the position.
  case reduced
}

/// The options of `REQ once`.
public struct OnceRequest: Hashable, Sendable {
  /// The requested accuracy. It can only be lower than the authorization of the app.
  public var accuracy: FixAccuracy?
  /// The maximum age of the fix at the press, in milliseconds. It can only tighten the limit of the gateway.
  public var maximumAge: Int?
  /// The timeout of the request in seconds, 1...3600.
  public var timeout: Int?
  /// Whether the request needs a press of the button even if the app is authorized already.
  public var requiresPress: Bool
  /// The app's own text about its purpose, which prompts show in quotes.
  public var purpose: String?

  /// Creates the options. The gateway uses its defaults for options that are nil.
  public init(
    accuracy: FixAccuracy? = nil, maximumAge: Int? = nil, timeout: Int? = nil, requiresPress: Bool = false,
    purpose: String? = nil
  ) {
    self.accuracy = accuracy
    self.maximumAge = maximumAge
    self.timeout = timeout
    self.requiresPress = requiresPress
    self.purpose = purpose
  }
}

/// The options of `START updates`.
public struct UpdatesRequest: Hashable, Sendable {
  /// The minimum interval between two fixes in milliseconds.
  public var interval: Int?
  /// The minimum distance between two fixes in metres.
  public var distance: Int?
  /// Whether the updates continue while the app is not in use.
  public var isBackground: Bool

  /// Creates the options. By default the app receives every fix while it is in use.
  public init(interval: Int? = nil, distance: Int? = nil, isBackground: Bool = false) {
    self.interval = interval
    self.distance = distance
    self.isBackground = isBackground
  }
}

/// An authorization that an app can ask the user for.
public enum AuthorizationWish: String, Hashable, Sendable, CaseIterable {
  /// Location while the app is in use.
  case whenInUse = "when-in-use"
  /// Location at any time.
  case always
  /// Full accuracy for the current session.
  case fullAccuracy = "full-accuracy"
}

/// The choices of a prompt.
public enum PromptChoice: String, Hashable, Sendable, CaseIterable {
  /// Yes, to a prompt with yes and no.
  case yes
  /// Allow once.
  case once
  /// Allow while the app is in use.
  case whileUsing = "while-using"
  /// Allow at any time.
  case always
  /// Keep the present authorization.
  case keep
  /// Do not allow.
  case no
}

/// The authorization status that an owner can set for an app.
public enum StandingStatus: String, Hashable, Sendable, CaseIterable {
  /// The user was not asked yet.
  case notDetermined
  /// The app receives no location.
  case denied
  /// The app receives location while it is in use.
  case whenInUse
  /// The app receives location at any time.
  case always
}

/// A setting of an app that an owner can change.
public enum AppSetting: Hashable, Sendable {
  /// The authorization status.
  case status(StandingStatus)
  /// The accuracy of the disclosed fixes.
  case accuracy(FixAccuracy)
}

/// A command of an owner, on the owners' socket.
public enum OwnerCommand: Hashable, Sendable {
  /// The maximum number of log entries or sessions in one list. The gateway keeps the list in memory until the owner
  /// reads it. Owners list further entries with `after`, the number of the last entry.
  public static let mostEntries = 2000

  /// Lists every app with its authorization.
  case apps
  /// Lists the open prompt and the queued prompts.
  case prompts
  /// Lists the latest entries of the log, or with `after` the first entries after that one. A list has at most
  /// `mostEntries` entries.
  case log(since: UTCTime?, app: String?, limit: Int?, after: Int? = nil)
  /// Verifies that no entry of the log was changed.
  case verify
  /// Lists the numbers of requests without a fix, by day.
  case counts(since: UTCTime?)
  /// Answers a prompt. The accuracy is nil if the user chose none.
  case answer(prompt: Int, PromptChoice, accuracy: FixAccuracy?)
  /// Changes the authorization of an app, with immediate effect.
  case set(app: String, AppSetting)
  /// Marks every session of an app as in use.
  case use(app: String)
  /// Deletes the authorization of an app. The app has to ask again.
  case reset(app: String)
  /// Creates the app's key, or its token, and replaces the previous one. Only this reply contains the secret.
  case addKey(app: String, isToken: Bool = false)
  /// Revokes the key or the token of an app. Clients can no longer authenticate with it.
  case revokeKey(app: String)
  /// Reloads the configuration.
  case reload
  /// Creates a login link for the page. The link is valid once.
  case page
  /// Activates the kill switch: no location is disclosed until a user holds the button.
  case lock
  /// Lists every watched region, or the regions of an app.
  case regions(app: String?)
  /// Lists the first sessions, or with `after` the first sessions after that one. A list has at most `mostEntries`
  /// sessions.
  case sessions(app: String?, limit: Int?, after: Int? = nil)
  /// Returns the satellites in view and the quality of the fix. The reply contains no position.
  case sky
  /// Returns the metrics in the OpenMetrics format.
  case metrics
  /// Presses the simulated button for a number of milliseconds, 1...60,000. The reply follows when the press has taken
  /// effect.
  case press(milliseconds: Int?, button: String?)
  /// Holds the simulated button for its hold time.
  case hold(button: String?)
}

/// A command with the tag that its reply carries.
public struct TaggedCommand: Hashable, Sendable {
  /// The tag, 1 to 32 letters, digits, `.`, `-` and `_` that the client chose; nil if the command has no tag.
  public var tag: String?
  /// The command.
  public var command: Command

  /// Creates a command, with or without a tag.
  public init(_ command: Command, tag: String? = nil) {
    self.command = command
    self.tag = tag
  }
}

/// A line that the gateway rejects, and the tag of the line.
public struct RejectedLine: Error, Hashable, Sendable {
  /// The tag; nil if the line has no tag or the parser did not reach it.
  public let tag: String?
  /// The reason for the rejection.
  public let error: LineError
}
