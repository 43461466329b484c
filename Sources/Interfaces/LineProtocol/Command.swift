/// A command of a client: one line of the protocol.
public enum Command: Hashable, Sendable {
  /// Opens the session, with the app's id and the protocol versions of the client.
  case hello(Hello)
  /// Authenticates the app, if the transport does not identify it.
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
  case authorize(RequestedAuthorization, purpose: String?)
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

  /// Whether the command only takes something back: a request, updates, the use of an app, a region, a session, an
  /// authorization, a key, or all disclosures. No limit of the rate of commands refuses such a command.
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

/// The arguments of HELLO, the first line of a client.
public struct Hello: Hashable, Sendable {
  /// The protocol versions that the client supports.
  public var versions: [Int]
  /// The app's id.
  public var app: String?
  /// The keepalive interval in seconds, 0...86,400; 0 disables the timeout. The gateway closes the connection if the
  /// client sends no line for 1.5 times this interval.
  public var keepalive: Int
  /// The token of the session to resume.
  public var session: String?
  /// The client's nonce: 32 random hexadecimal digits, new for each connection. It is necessary for an authentication
  /// with a key.
  public var nonce: String?
  /// Whether each line ends with a checksum, from the reply to HELLO on.
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
  /// A secret token. The gateway accepts tokens over TLS only.
  case token(String)
  /// An HMAC-SHA-256 as 64 hexadecimal digits, which proves that the client has the key of its app.
  case hmac(String)
}

/// The accuracy of a location, from the most precise to the least precise.
public enum FixAccuracy: String, Hashable, Sendable, CaseIterable, Comparable {
  /// The position as the receiver measured it.
  case full
  /// A node of a public lattice, by default about 1 to 2 km from the true position.
  case reduced
  /// No position, but the name of a place that the owner defined.
  case place

  /// Whether the left accuracy is less precise than the right one.
  public static func < (left: FixAccuracy, right: FixAccuracy) -> Bool { left.precision < right.precision }

  private var precision: Int {
    switch self {
    case .place: 0
    case .reduced: 1
    case .full: 2
    }
  }
}

/// The options of `REQ once`.
public struct OnceRequest: Hashable, Sendable {
  /// The requested accuracy, which can only be lower than the authorized accuracy.
  public var accuracy: FixAccuracy?
  /// The maximum age of the fix in milliseconds, at the instant of the press or of the request. It can only be lower
  /// than the gateway's own limit.
  public var maximumAge: Int?
  /// The timeout of the request in seconds, 1...3600.
  public var timeout: Int?
  /// Whether the request waits for a press even if the app has a standing authorization.
  public var requiresPress: Bool
  /// The app's text about its purpose, which prompts show in quotes.
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

  /// Creates the options. By default, the app receives every fix while it is in use.
  public init(interval: Int? = nil, distance: Int? = nil, isBackground: Bool = false) {
    self.interval = interval
    self.distance = distance
    self.isBackground = isBackground
  }
}

/// An authorization that an app can ask the user for.
public enum RequestedAuthorization: String, Hashable, Sendable, CaseIterable {
  /// Location while the app is in use.
  case whenInUse = "when-in-use"
  /// Location even when the app is not in use.
  case always
  /// Full accuracy in the current session.
  case fullAccuracy = "full-accuracy"
}

/// The choices of a prompt.
public enum PromptChoice: String, Hashable, Sendable, CaseIterable {
  /// Yes.
  case yes
  /// Allow the location once.
  case once
  /// Allow the location while the app is in use.
  case whileUsing = "while-using"
  /// Allow the location even when the app is not in use.
  case always
  /// Keep the present authorization.
  case keep
  /// Do not allow the location.
  case no
}

/// The authorization of an app. (Core Location: `CLAuthorizationStatus`)
public enum AuthorizationStatus: String, Hashable, Sendable, CaseIterable {
  /// The user has made no decision yet, or decides about each fix by a press of the button.
  case notDetermined
  /// The user denied the authorization. A press for a request of the app can open a prompt again.
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
  /// The authorization status. With a duration of whole seconds, the former status comes back after this time.
  case status(AuthorizationStatus, for: Duration? = nil)
  /// The accuracy of the disclosed fixes.
  case accuracy(FixAccuracy)
}

/// A command with its tag. The reply to the command has the same tag.
public struct TaggedCommand: Hashable, Sendable {
  /// The tag that the client chose: `@` and 1 to 32 letters, digits, `.`, `-` or `_`; nil if the command has no tag.
  public var tag: String?
  /// The command.
  public var command: Command

  /// Creates a command, with or without a tag.
  public init(_ command: Command, tag: String? = nil) {
    self.command = command
    self.tag = tag
  }
}

/// A line that the gateway rejects, with its tag.
public struct RejectedLine: Error, Hashable, Sendable {
  /// The tag of the line; nil if the parser read no tag.
  public let tag: String?
  /// The reason for the rejection.
  public let error: LineError
}
