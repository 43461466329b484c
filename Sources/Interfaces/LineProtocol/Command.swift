public import Clocks

/// A command of a client: one line of the protocol.
public enum Command: Hashable, Sendable {
  /// Opens the session, with the app's id and the protocol versions of the client.
  case hello(Hello)
  /// Authenticates the app. The command is necessary if the transport does not identify the app.
  case authenticate(Credential)
  /// Subscribes to topics. The client chooses the subscription id (`sid`) and the quality of service, 0 or 1.
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
  /// Reports whether the app is in the background or in the foreground.
  case state(isInBackground: Bool)
  /// Adds, removes or lists the app's regions.
  case region(RegionCommand)
  /// Acknowledges the message with this id.
  case acknowledge(Int)
  /// Asks for the state of the session.
  case status
  /// Asks the gateway for a PONG, which shows that the connection works.
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
  /// The app's id. The gateway verifies that the client is this app.
  public var app: String?
  /// The keepalive interval in seconds, 0...86,400. If the client sends no line for 1.5 times this interval, the
  /// gateway closes the connection. 0 disables this timeout.
  public var keepalive: Int
  /// The token of the session to resume.
  public var session: String?
  /// The client's nonce: 32 random hexadecimal digits, new for each connection. A client that authenticates with a key
  /// needs a nonce.
  public var nonce: String?
  /// Whether each line ends with a checksum. The first line with a checksum is the reply to HELLO.
  public var usesCRC: Bool

  /// Creates the arguments of HELLO.
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
  /// A token, which is the secret itself. The gateway accepts tokens over TLS only.
  case token(String)
  /// An HMAC-SHA-256 as 64 hexadecimal digits, which proves that the client has the key of its app.
  case hmac(String)
}

/// The accuracy of a fix.
public enum FixAccuracy: String, Hashable, Sendable, CaseIterable {
  /// The position as the receiver measured it.
  case full
  /// A reduced position: a node of a public lattice, about 1 to 2 km from the true position.
  case reduced
}

/// The options of `REQ once`.
public struct OnceRequest: Hashable, Sendable {
  /// The requested accuracy. It can be lower than the accuracy of the app's authorization. It cannot be higher.
  public var accuracy: FixAccuracy?
  /// The maximum age of the fix in milliseconds, at the instant of the press or of the request. The gateway has its own
  /// limit for the age, and the app can only request a lower limit.
  public var maximumAge: Int?
  /// The timeout of the request in seconds, 1...3600.
  public var timeout: Int?
  /// Whether the request waits for a press of the button, even if the app has a standing authorization and needs no
  /// press.
  public var requiresPress: Bool
  /// The app's own text about its purpose. Prompts show the text in quotes.
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

  /// Creates the options. With the default values, the app receives every fix, as long as the app is in use.
  public init(interval: Int? = nil, distance: Int? = nil, isBackground: Bool = false) {
    self.interval = interval
    self.distance = distance
    self.isBackground = isBackground
  }
}

/// An authorization that an app can ask the user for.
public enum AuthorizationWish: String, Hashable, Sendable, CaseIterable {
  /// The permission to get the location while the app is in use.
  case whenInUse = "when-in-use"
  /// The permission to get the location even when the app is not in use.
  case always
  /// The permission to get fixes with full accuracy in the current session.
  case fullAccuracy = "full-accuracy"
}

/// The choices of a prompt.
public enum PromptChoice: String, Hashable, Sendable, CaseIterable {
  /// The answer *yes*.
  case yes
  /// Allow once.
  case once
  /// The answer that allows the location while the app is in use.
  case whileUsing = "while-using"
  /// The answer that allows the location even when the app is not in use.
  case always
  /// The answer that keeps the present authorization.
  case keep
  /// The answer that does not allow the location.
  case no
}

/// The authorization of an app. (Core Location: `CLAuthorizationStatus`)
public enum AuthorizationStatus: String, Hashable, Sendable, CaseIterable {
  /// The user has made no decision yet, or decides about each single fix by a press of the button.
  case notDetermined
  /// The user denied the authorization. If the app requests a fix, a press of the button can open a prompt again.
  case denied
  /// The app may get the location while it is in use.
  case whenInUse
  /// The app may get the location even when it is not in use.
  case always
  /// The owner's configuration forbids the access. A prompt cannot change this.
  case restricted

  /// The statuses that an owner can set. `restricted` comes only from the configuration.
  public static let settable: [AuthorizationStatus] = [.notDetermined, .denied, .whenInUse, .always]
}

/// A setting of an app that an owner can change.
public enum AppSetting: Hashable, Sendable {
  /// The authorization status.
  case status(AuthorizationStatus)
  /// The accuracy of the disclosed fixes.
  case accuracy(FixAccuracy)
}

/// A command of an owner, on the owners' socket.
public enum OwnerCommand: Hashable, Sendable {
  /// The maximum number of log entries or sessions in one list. The gateway keeps a list in memory until the owner's
  /// client has read it, so the list must be short. To get the rest of a long list, the owner repeats the command with
  /// the argument `after`: the number of the last entry in the previous list.
  public static let mostEntries = 2000

  /// Lists every app with its authorization.
  case apps
  /// Lists the open prompts.
  case prompts
  /// Lists the latest entries of the log. If `after` is not nil, the list begins after the entry with this number. A
  /// list has at most `mostEntries` entries.
  case log(since: UTCTime?, app: String?, limit: Int?, after: Int? = nil)
  /// Verifies that no other program changed the log.
  case verify
  /// Lists how many requests ended without a fix, by day, app and answer.
  case counts(since: UTCTime?)
  /// Answers the prompt with this number. The accuracy is nil if the user did not choose one.
  case answer(prompt: Int, PromptChoice, accuracy: FixAccuracy?)
  /// Changes the authorization of an app, with immediate effect.
  case set(app: String, AppSetting)
  /// Marks every session of an app as in use.
  case use(app: String)
  /// Deletes the authorization of an app. The app has to ask again.
  case reset(app: String)
  /// Creates a new key or a new token for an app. It replaces the previous key or token. Only the reply to this command
  /// contains the secret.
  case addKey(app: String, isToken: Bool = false)
  /// Revokes the key and the token of an app. Clients can no longer authenticate with them.
  case revokeKey(app: String)
  /// Reloads the configuration.
  case reload
  /// Creates a login link for the owner's page. The link works once.
  case page
  /// Activates the kill switch: the gateway discloses no location until a user holds the button.
  case lock
  /// Lists the regions of all apps, or of one app.
  case regions(app: String?)
  /// Lists the first sessions. If `after` is not nil, the list begins after the session with this number. A list has at
  /// most `mostEntries` sessions.
  case sessions(app: String?, limit: Int?, after: Int? = nil)
  /// Asks for the satellites in view and the quality of the fix. The reply contains no position.
  case sky
  /// Asks for the metrics in the OpenMetrics format.
  case metrics
  /// Presses the simulated button for a number of milliseconds, 1...60,000. The gateway replies after it has processed
  /// the press.
  case press(milliseconds: Int?, button: String?)
  /// Holds the simulated button for its hold time.
  case hold(button: String?)
}

/// A command with its tag. The reply to the command has the same tag.
public struct TaggedCommand: Hashable, Sendable {
  /// The tag, which the client chose. It consists of `@` and 1 to 32 characters, which are letters, digits, `.`, `-` or
  /// `_`. The value is nil if the command has no tag.
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
  /// The tag of the line; nil if the line has no tag, or if the parser rejected the line before it read the tag.
  public let tag: String?
  /// The reason for the rejection.
  public let error: LineError
}
