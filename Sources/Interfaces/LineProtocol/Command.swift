/// A command from a client to the gateway: one line of the protocol.
public enum Command: Hashable, Sendable {
  /// Opens the session, with the app's id and the protocol versions of the client.
  case hello(Hello)
  /// Sends the key proof or the token of the app, if the transport (for example a TCP connection) does not identify the
  /// app.
  case authenticate(Credential)
  /// Subscribes to the topics that the filter matches. The client chooses the subscription id (`sid`) and the quality
  /// of service of MQTT, 0 or 1; nil means 1.
  case subscribe(TopicFilter, sid: String, qos: Int?)
  /// Ends the subscription with this id: immediately if `after` is nil, otherwise after `after` further messages.
  case unsubscribe(sid: String, after: Int?)
  /// Requests one fix. In most cases, the gateway sends the fix after a user has pressed the button.
  case requestOnce(OnceRequest)
  /// Cancels the pending request for one fix.
  case cancel
  /// Starts updates (repeated fixes): the gateway sends fixes until the command `stopUpdates`.
  case startUpdates(UpdatesRequest)
  /// Stops the updates (repeated fixes) that `startUpdates` has started.
  case stopUpdates
  /// Asks the user for an authorization. The purpose is the app's own text, which the prompt (the question to the user)
  /// shows; nil for no text.
  case authorize(RequestedAuthorization, purpose: String?)
  /// Reports whether the app is in the background (true) or in the foreground (false).
  case state(isInBackground: Bool)
  /// Adds, removes or lists the app's regions (circles on the ground whose entry and exit the app learns).
  case region(RegionCommand)
  /// Confirms that the client has received the message with this identifier.
  case acknowledge(Int)
  /// Asks for the state of the session. The reply has the state as `key=value` fields.
  case status
  /// Asks the gateway for the reply PONG, which shows that the connection works.
  case ping
  /// Asks for the verbs (first words of commands) that the client may use.
  case help
  /// Ends the session of the client.
  case bye
  /// A command that only an owner (an administrator of the gateway) may send.
  case owner(OwnerCommand)

  /// Whether the command only withdraws something, for example a request, an authorization or a key. The gateway never
  /// refuses such a command because of too many commands.
  public var isWithdrawal: Bool {
    switch self {
    case .cancel, .stopUpdates, .state(isInBackground: true), .region(.remove), .bye, .owner(.lock),
      .owner(.set(_, .status(.denied, _))), .owner(.set(_, .accuracy(.place))), .owner(.reset), .owner(.revokeKey),
      .owner(.place(.remove)), .owner(.place(.deny)), .owner(.answer(_, .no, _, _)):
      true
    default: false
    }
  }
}

/// The arguments of HELLO, the first command of a client.
public struct Hello: Hashable, Sendable {
  /// The protocol versions that the client supports.
  public var versions: [Int]
  /// The app's id; nil if the client is an owner (administrator), or if the transport alone identifies the app.
  public var app: String?
  /// The interval in seconds, 0...86,400, at which the client promises to send protocol lines. The gateway closes the
  /// connection if no line arrives for 1.5 times this interval; 0 disables this timeout.
  public var keepalive: Int
  /// The token of the session to resume; nil for a new session.
  public var session: String?
  /// The client's nonce: 32 random hexadecimal digits, new for each connection. Authentication with a key requires the
  /// nonce; nil for other methods.
  public var nonce: String?
  /// Whether the client asks for checksums. Each protocol line after HELLO, also the reply to HELLO, then ends with a
  /// checksum.
  public var usesCRC: Bool

  /// Creates the arguments of HELLO. By default, the client supports protocol version 1 and promises a protocol line
  /// every 60 s.
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

/// The credential with which a client proves that the client belongs to its app.
public enum Credential: Hashable, Sendable {
  /// A secret token. The gateway accepts tokens over TLS only.
  case token(String)
  /// An HMAC-SHA-256 as 64 hexadecimal digits, which proves that the client has the key of its app.
  case hmac(String)
}

/// The accuracy with which an app receives a location, from the most precise case to the least precise case.
public enum FixAccuracy: String, Hashable, Sendable, CaseIterable, Comparable {
  /// The measured position, without a change.
  case full
  /// A point of a public grid, by default about 1 to 2 km from the true position.
  case reduced
  /// The name of a place (a circle on the ground that an owner has named), instead of a position.
  case place

  /// Whether the left accuracy is less precise than the right accuracy.
  public static func < (left: FixAccuracy, right: FixAccuracy) -> Bool { left.precision < right.precision }

  private var precision: Int {
    switch self {
    case .place: 0
    case .reduced: 1
    case .full: 2
    }
  }
}

/// The options of the command `REQ once`, which requests one fix.
public struct OnceRequest: Hashable, Sendable {
  /// The requested accuracy; nil for the authorized accuracy. A higher accuracy than the authorized accuracy has no
  /// effect.
  public var accuracy: FixAccuracy?
  /// The maximum age of the fix in milliseconds; nil for the limit of the gateway. A fix that arrived after the press
  /// of the button, or after a request without a press, is never too old.
  public var maximumAge: Int?
  /// The time in seconds, 1...3600, after which the request fails; nil for the default of the gateway.
  public var timeout: Int?
  /// Whether the request waits for a press of the button even if the app has a permanent authorization.
  public var requiresPress: Bool
  /// The purpose of the request, as a text of the app; nil for no text. Prompts (questions to the user) show the text
  /// in quotes.
  public var purpose: String?

  /// Creates the options of a request. The gateway uses its defaults for options that are nil.
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

/// The options of the command `START updates`, which requests updates (repeated fixes) until `STOP updates`.
public struct UpdatesRequest: Hashable, Sendable {
  /// The minimum interval between two fixes in milliseconds; nil for no minimum.
  public var interval: Int?
  /// The minimum distance between two fixes in metres; nil for no minimum.
  public var distance: Int?
  /// Whether the updates (repeated fixes) continue while the app is not in use.
  public var isBackground: Bool

  /// Creates the options of a request for updates (repeated fixes). By default, the app receives every fix while the
  /// app is in use.
  public init(interval: Int? = nil, distance: Int? = nil, isBackground: Bool = false) {
    self.interval = interval
    self.distance = distance
    self.isBackground = isBackground
  }
}

/// An authorization that an app can ask the user for.
public enum RequestedAuthorization: String, Hashable, Sendable, CaseIterable {
  /// Permission to receive the location while the app is in use.
  case whenInUse = "when-in-use"
  /// Permission to receive the location even when the app is not in use.
  case always
  /// Permission to receive fixes with full accuracy in the current session.
  case fullAccuracy = "full-accuracy"
}

/// An answer of a user to a prompt (a question to the user).
public enum PromptChoice: String, Hashable, Sendable, CaseIterable {
  /// The user agrees to the question of the prompt.
  case yes
  /// The app may get the location once.
  case once
  /// The app may get the location while the app is in use.
  case whileUsing = "while-using"
  /// The app may get the location even when the app is not in use.
  case always
  /// The app keeps its present authorization.
  case keep
  /// The app may not get the location.
  case no
}

/// The permission of an app to receive the location. (Core Location: `CLAuthorizationStatus`)
public enum AuthorizationStatus: String, Hashable, Sendable, CaseIterable {
  /// No user has decided yet, or a user decides about each fix by a press of the button.
  case notDetermined
  /// A user denied the app the location. A press of the button for a request of the app can open a prompt (a question
  /// to the user) again.
  case denied
  /// The app may get the location while the app is in use.
  case whenInUse
  /// The app may get the location even when the app is not in use.
  case always
  /// The configuration of the gateway forbids the app the location. A user cannot change this status.
  case restricted

  /// The statuses that an owner (administrator) can set with a command. The status `restricted` comes only from the
  /// configuration.
  public static let settable: [AuthorizationStatus] = [.notDetermined, .denied, .whenInUse, .always]
}

/// A new authorization status or accuracy of an app, which an owner (administrator) sets.
public enum AppSetting: Hashable, Sendable {
  /// The authorization status. With a duration in whole seconds, the previous status returns after this time; nil for
  /// no end.
  case status(AuthorizationStatus, for: Duration? = nil)
  /// The accuracy of the fixes that the app receives.
  case accuracy(FixAccuracy)
}

/// A command with its tag. The reply to the command has the same tag.
public struct TaggedCommand: Hashable, Sendable {
  /// The tag that the client chose: `@` and 1 to 32 letters, digits, `.`, `-` or `_`; nil if the command has no tag.
  public var tag: String?
  /// The command without its tag.
  public var command: Command

  /// Creates a command with a tag; nil for a command without a tag.
  public init(_ command: Command, tag: String? = nil) {
    self.command = command
    self.tag = tag
  }
}

/// The reason why the gateway rejects a protocol line, with the tag of the line.
public struct RejectedLine: Error, Hashable, Sendable {
  /// The tag of the rejected line; nil if the line has no readable tag.
  public let tag: String?
  /// The error code and the message about the rejection.
  public let error: LineError
}
