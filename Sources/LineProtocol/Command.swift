public import Clocks

/// What a client says in one line.
public enum Command: Hashable, Sendable {
  case hello(Hello)
  case subscribe(TopicFilter, sid: String, qos: Int?)
  /// Ends a subscription, at once or after so many more messages.
  case unsubscribe(sid: String, after: Int?)
  case requestOnce(OnceRequest)
  case cancel
  /// A message with this id has arrived.
  case acknowledge(Int)
  case status
  case ping
  case help
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

  public init(versions: [Int] = [1], app: String?, keepalive: Int = 60, session: String? = nil) {
    self.versions = versions
    self.app = app
    self.keepalive = keepalive
    self.session = session
  }
}

/// How precise a fix is to be, or is.
public enum FixAccuracy: String, Hashable, Sendable, CaseIterable {
  case full
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
  public var requiresPress: Bool
  /// What the app says of itself; shown in quotes.
  public var purpose: String?

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

/// What an owner says, on the owners' socket.
public enum OwnerCommand: Hashable, Sendable {
  case apps
  /// The latest entries of the log, or the first after one.
  case log(since: UTCTime?, app: String?, limit: Int?, after: Int? = nil)
  /// Looks through the whole log for what was changed.
  case verify
  /// Requests that came to no fix, by day.
  case counts(since: UTCTime?)
  case answer(prompt: Int, yes: Bool)
  case lock
  /// Presses the simulated button for so many milliseconds; returns when the press has taken effect.
  case press(milliseconds: Int?, button: String?)
  /// Holds the simulated button for its hold time.
  case hold(button: String?)
}

/// A command and the tag that its reply will carry.
public struct TaggedCommand: Hashable, Sendable {
  public var tag: String?
  public var command: Command

  public init(_ command: Command, tag: String? = nil) {
    self.command = command
    self.tag = tag
  }
}

/// A line that could not be taken, with the tag it had.
public struct RejectedLine: Error, Hashable, Sendable {
  public let tag: String?
  public let error: LineError
}
