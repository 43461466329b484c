public import Clocks

/// What a client says in one line.
public enum Command: Hashable, Sendable {
  /// Who it is, and what it speaks.
  case hello(Hello)
  /// Proves who it is, where the transport does not.
  case authenticate(Credential)
  /// Wants what is told on topics, under a name of its own, with quality of service 0 or 1.
  case subscribe(TopicFilter, sid: String, qos: Int?)
  /// Ends a subscription, at once or after so many more messages.
  case unsubscribe(sid: String, after: Int?)
  /// Asks for one fix.
  case requestOnce(OnceRequest)
  /// Asks for it no more.
  case cancel
  /// Asks for fixes until it is stopped.
  case startUpdates(UpdatesRequest)
  /// Ends them.
  case stopUpdates
  /// Asks the person for more, with what the app says of itself.
  case authorize(AuthorizationWish, purpose: String?)
  /// What the app is doing.
  case state(isInBackground: Bool)
  /// Adds, removes or lists its regions.
  case region(RegionCommand)
  /// A message with this id has arrived.
  case acknowledge(Int)
  /// How it stands.
  case status
  /// Whether somebody is there.
  case ping
  /// What can be said.
  case help
  /// The end of the session.
  case bye
  /// What only owners may say.
  case owner(OwnerCommand)
}

/// Who speaks, in its first line.
public struct Hello: Hashable, Sendable {
  /// The protocol versions that the client speaks.
  public var versions: [Int]
  /// As claimed; the gateway decides.
  public var app: String?
  /// Seconds after which the client's silence means that it is gone, × 1.5; 0 turns that off.
  public var keepalive: Int
  /// The token of a session to resume.
  public var session: String?
  /// 32 hexadecimal digits of the client's own, where it proves itself by a key.
  public var nonce: String?
  /// Whether each line is to end in its checksum from the reply on.
  public var usesCRC: Bool

  /// The first line of a client of version 1, unless it is said otherwise.
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

/// What proves who a client is.
public enum Credential: Hashable, Sendable {
  /// A secret itself, over TLS only.
  case token(String)
  /// 64 hexadecimal digits: that the client has the key of its app.
  case hmac(String)
}

/// How precise a fix is to be, or is.
public enum FixAccuracy: String, Hashable, Sendable, CaseIterable {
  /// As the receiver measured it.
  case full
  /// A place of a public lattice, about 1 to 2 km off.
  case reduced
}

/// The options of `REQ once`.
public struct OnceRequest: Hashable, Sendable {
  /// Asks for less than the app is allowed.
  public var accuracy: FixAccuracy?
  /// Milliseconds that a fix may have aged since the button went down; it only ever tightens.
  public var maximumAge: Int?
  /// Seconds until the arm ends, 1...3600.
  public var timeout: Int?
  /// Whether a person has to press even where the app may know already.
  public var requiresPress: Bool
  /// What the app says of itself; shown in quotes.
  public var purpose: String?

  /// Nothing but what is given; the gateway's own values for the rest.
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
  /// Milliseconds between two fixes at least.
  public var interval: Int?
  /// Metres between two fixes at least.
  public var distance: Int?
  /// Whether they go on when the app is not in use.
  public var isBackground: Bool

  /// Every fix, while the app is in use, unless it is said otherwise.
  public init(interval: Int? = nil, distance: Int? = nil, isBackground: Bool = false) {
    self.interval = interval
    self.distance = distance
    self.isBackground = isBackground
  }
}

/// What an app asks the person for.
public enum AuthorizationWish: String, Hashable, Sendable, CaseIterable {
  /// While it is in use.
  case whenInUse = "when-in-use"
  /// At any time.
  case always
  /// Precisely, for this session.
  case fullAccuracy = "full-accuracy"
}

/// What a prompt is answered with.
public enum PromptChoice: String, Hashable, Sendable, CaseIterable {
  /// To a yes or no.
  case yes
  /// This time.
  case once
  /// While it is in use.
  case whileUsing = "while-using"
  /// At any time.
  case always
  /// As it is.
  case keep
  /// Not.
  case no
}

/// What an owner may set an app's status to.
public enum StandingStatus: String, Hashable, Sendable, CaseIterable {
  /// Nobody was asked.
  case notDetermined
  /// Never.
  case denied
  /// While it is in use.
  case whenInUse
  /// At any time.
  case always
}

/// What an owner sets of an app.
public enum AppSetting: Hashable, Sendable {
  /// When it may know.
  case status(StandingStatus)
  /// How precisely.
  case accuracy(FixAccuracy)
}

/// What an owner says, on the owners' socket.
public enum OwnerCommand: Hashable, Sendable {
  /// How many entries of the log are listed at once: they wait where the owner does not read. Who wants more asks for
  /// those after the last.
  public static let mostEntries = 2000

  /// Every app, with what it may know.
  case apps
  /// The prompt that is open, and those that wait for their turn.
  case prompts
  /// The latest entries of the log, or the first after one; no more than `mostEntries`.
  case log(since: UTCTime?, app: String?, limit: Int?, after: Int? = nil)
  /// Looks through the whole log for what was changed.
  case verify
  /// Requests that came to no fix, by day.
  case counts(since: UTCTime?)
  /// The accuracy is the person's, where they chose one.
  case answer(prompt: Int, PromptChoice, accuracy: FixAccuracy?)
  /// Changes what an app may know; at once.
  case set(app: String, AppSetting)
  /// Begins use of location in every session of an app.
  case use(app: String)
  /// Forgets an app: it has to ask anew.
  case reset(app: String)
  /// Makes the key by which an app proves itself, or its token, in place of the one it had; the reply shows it once.
  case addKey(app: String, isToken: Bool = false)
  /// From now on nobody proves to be an app by its key or its token.
  case revokeKey(app: String)
  /// Reads the configuration again.
  case reload
  /// Makes a link that opens the page once.
  case page
  /// The kill switch: nothing is given until somebody holds the button.
  case lock
  /// Every region that is watched, or those of an app.
  case regions(app: String?)
  /// Who is connected: the first sessions, or the first after one. No more than `mostEntries`.
  case sessions(app: String?, limit: Int?, after: Int? = nil)
  /// The satellites that the receiver has in view, and how good its fix is. No place.
  case sky
  /// How it goes, in numbers, as OpenMetrics writes them.
  case metrics
  /// Presses the simulated button for so many milliseconds; returns when the press has taken effect.
  case press(milliseconds: Int?, button: String?)
  /// Holds the simulated button for its hold time.
  case hold(button: String?)
}

/// A command and the tag that its reply will carry.
public struct TaggedCommand: Hashable, Sendable {
  /// Letters and digits of the client's own; nil where it gave none.
  public var tag: String?
  /// What is to be done.
  public var command: Command

  /// A command, with a tag or without.
  public init(_ command: Command, tag: String? = nil) {
    self.command = command
    self.tag = tag
  }
}

/// A line that could not be taken, with the tag it had.
public struct RejectedLine: Error, Hashable, Sendable {
  /// Nil where it had none, or was not read so far.
  public let tag: String?
  /// What is wrong with it.
  public let error: LineError
}
