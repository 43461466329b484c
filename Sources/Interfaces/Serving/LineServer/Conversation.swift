import Base
import LineProtocol
import Logging
import NIOCore
import OperatingSystem
import Ports

/// The dialog with the client of one connection: first the authentication, then commands at a limited rate.
struct Conversation {
  let connection: Connection
  private let longestLine: Int
  private var authentication: AuthenticationStateMachine
  private let admission: AdmissionControl
  private let shares: ConnectionShares
  private let logger: Logger
  private(set) var isOver = false
  /// The wait before the caller may read the next protocol line, because the client sends too many lines; nil for no
  /// wait.
  private(set) var pause: Duration?
  private var bucket: TokenBucket
  private var checksums = ChecksumRule()
  /// The rate limiter of protocol lines that are not commands, for example of PONG.
  private var noise: TokenBucket

  /// The pause after a refused protocol line of a client that sends too many lines. The pause is short, so that replies
  /// soon fill the queue of a client that does not read. The gateway then disconnects the client.
  private static let shortPause = Duration.milliseconds(1)
  /// The error for a connection without authentication that the gateway closes in favor of a new connection.
  static let tooMany = LineError(
    .tooMany, "too many connections have not authenticated, and this connection is the oldest")

  init(
    connection: Connection, authentication: AuthenticationStateMachine, admission: AdmissionControl,
    shares: ConnectionShares, logger: Logger, now: MonotonicInstant
  ) {
    self.connection = connection
    longestLine = connection.transport.longestLine ?? Transport.longestSocketLine
    self.authentication = authentication
    self.admission = admission
    self.shares = shares
    self.logger = logger
    bucket = TokenBucket(at: now)
    noise = TokenBucket(at: now)
  }

  var isAuthenticated: Bool { authentication.isOver }

  /// Sends INFO, the first protocol line of the gateway, which lists the offered methods of authentication.
  func begin(_ service: some LineService) {
    connection.send(
      .info(
        service.greeting(
          methods: authentication.methods, nonce: authentication.info.nonce, longestLine: longestLine)))
  }

  /// Processes a protocol line of the client. Returns false if the dialog with the client is over.
  ///
  /// A serial port cannot close. If the authentication on a serial port fails, the function begins the dialog again.
  mutating func process(_ line: ReceivedLine, at now: MonotonicInstant, _ service: some LineService) async -> Bool {
    pause = (line.isCommand ? bucket.consume(at: now) : noise.consume(at: now)) ? nil : Self.shortPause
    if await perform(line, at: now, service) { return true }
    guard connection.transport == .serial, !isAuthenticated else { return false }
    isOver = false
    begin(service)
    return true
  }

  private mutating func perform(
    _ line: ReceivedLine, at now: MonotonicInstant, _ service: some LineService
  ) async -> Bool {
    switch line {
    case .overlong:
      return refuse(LineError(.lineTooLong, "a line must have at most \(longestLine) bytes"), tag: nil)
    case .breakCondition:
      return false
    // An empty HELLO ends this conversation and begins a new one. An empty HELLO needs no checksum, because a client
    // that has restarted does not know whether the gateway expects checksums.
    case .text(let bytes) where connection.transport == .serial && bytes.isEmptyHello:
      return false
    case .text(let bytes):
      guard let line = checksums.verify(bytes) else {
        return refuse(
          LineError(.badCRC, "a line must end with * and the four hexadecimal digits of its CRC-16"), tag: nil)
      }
      if line.isHeartbeat { return true }
      do throws(RejectedLine) {
        if pause != nil {
          guard let command = try? TaggedCommand(parsing: line).command, command.isWithdrawal else {
            let tag = TaggedCommand.tag(of: line.readableBytesUInt8Span)
            return refuse(LineError(.rateLimited, "more than 50 commands at once (wait a second)"), tag: tag)
          }
          // The gateway performs the command at once, and then reads the connection at the rate of the limit.
          pause = bucket.wait
        }
        let tagged = try TaggedCommand(parsing: line)
        return await perform(tagged.command, tag: tagged.tag, at: now, service)
      } catch {
        return refuse(authentication.refusal(of: error, saying: String(buffer: line)), tag: error.tag)
      }
    }
  }

  private mutating func perform(
    _ command: Command, tag: String?, at now: MonotonicInstant, _ service: some LineService
  ) async -> Bool {
    let step = authentication.handle(command)
    await beginChecksums(after: command, step)
    switch step {
    case .answer(let fields): connection.send(.ok(tag: tag, fields))
    case .pong: connection.send(.pong(tag: tag))
    case .help: connection.send(.ok(tag: tag, Self.help(connection.role)))
    case .goodbye:
      connection.send(.ok(tag: tag, [:]))
      isOver = true
      return false
    case .refuse(let error): return refuse(error, tag: tag)
    case .refuseProof(let error):
      // During the delay the connection counts as not authenticated. Each origin has a limit of such connections, so
      // the origin cannot avoid the delay with more connections.
      logger.notice(
        "authentication failed",
        metadata: ["peer": "\(connection.peer)", "over": "\(connection.transport)", "cause": "\(error.text)"])
      let delay = admission.noteFailure(of: connection.number, from: connection.peer.origin, at: now)
      try? await SystemClock.sleep(until: now + delay)
      return refuse(error, tag: tag)
    case .welcome(let hello, let identity):
      if let identity, let refusal = refusal(of: identity.app) {
        // The connection still counts as not authenticated.
        authentication.reset()
        return refuse(refusal, tag: tag)
      }
      admission.remove(connection.number, from: connection.peer.origin)
      guard await service.hello(hello, tag: tag, as: identity, on: connection) else {
        shares.remove(connection.number)
        return restartAuthentication()
      }
      limitSilence(hello)
    case .perform: await service.perform(command, tag: tag, on: connection)
    }
    return true
  }

  /// Registers the connection as a connection of the app. Returns nil on success, or the error if the app already has
  /// its maximum count of connections at this listener.
  private func refusal(of app: AppID) -> LineError? {
    let apps = authentication.info.identification.apps(authentication.info.keyring)
    return shares.refusal(of: connection, as: app, among: apps, logger: logger)
  }

  /// Starts the authentication again from the first command, after the gateway refused the client.
  ///
  /// - Returns: Whether the connection can stay open; false if too many connections of the same origin (a user, or a
  ///   machine) have not authenticated.
  private mutating func restartAuthentication() -> Bool {
    authentication.reset()
    guard connection.role == .app else { return true }
    let connection = connection
    return admission.restore(connection.number, from: connection.peer.origin, at: SystemClock.monotonic) {
      connection.refuse(Self.tooMany)
    }
  }

  /// Turns checksums on if the client's first command (HELLO) asks for checksums and the gateway accepts HELLO. The
  /// reply to HELLO is the first protocol line with a checksum.
  private mutating func beginChecksums(after command: Command, _ step: AuthenticationStateMachine.Step) async {
    guard case .hello(let hello) = command, hello.usesCRC else { return }
    switch step {
    case .answer, .welcome:
      await connection.beginChecksums()
      checksums.isRequired = true
    case .pong, .help, .goodbye, .refuse, .refuseProof, .perform: break
    }
  }

  private func limitSilence(_ hello: Hello) {
    let isLimited = connection.role == .app && hello.keepalive > 0
    connection.limit(
      SilenceLimit(
        limit: isLimited ? .milliseconds(Int64(hello.keepalive) * 1500) : nil,
        question: .seconds(Int64(hello.keepalive)),
        error: LineError(.keepaliveTimeout, "the client was silent for 1.5 × keepalive")))
  }

  /// Sends an error. Returns false if the code of the error ends the dialog with the client.
  private func refuse(_ error: LineError, tag: String?) -> Bool {
    connection.send(.error(error, tag: tag, [:]))
    return !error.code.closes
  }

  private static func help(_ role: ClientRole) -> ServerLine.Fields {
    ["verbs": Command.verbs(forOwners: role == .owner).joined(separator: ",")]
  }
}

extension ReceivedLine {
  /// Whether the protocol line may be a command. The value is false for empty lines, for PONG, and for lines that are
  /// too long.
  fileprivate var isCommand: Bool {
    switch self {
    case .overlong, .breakCondition: false
    case .text(let bytes): !bytes.isHeartbeat
    }
  }
}

extension ByteBuffer {
  /// Whether a protocol line is empty or PONG. Such a line only shows that the client is connected.
  fileprivate var isHeartbeat: Bool { readableBytes == 0 || readableBytesView.elementsEqual("PONG".utf8) }
}
