import Clocks
import LineFraming
import LineProtocol
import Logging
import NIOCore
import OperatingSystem

/// One connection's talk: first who is there, then commands, at most so many at once.
struct Conversation {
  let connection: Connection
  private let longestLine: Int
  private var introduction: Introduction
  private let doorkeeper: Doorkeeper
  private let logger: Logger
  /// The client said BYE.
  private(set) var isOver = false
  /// It has said more than it may: what it says next is heard after a pause, so that it costs others nothing.
  private(set) var isHasty = false
  private var bucket: TokenBucket
  private var checksums = ChecksumRule()
  /// Of lines that are no commands: they take none of a client's.
  private var noise: TokenBucket

  /// Short enough for a client that is told so, and does not read that, to be found out.
  static let pause = Duration.milliseconds(1)
  /// Told to a connection that is closed before it has authenticated.
  static let tooMany = LineError(.tooMany, "too many connections have not authenticated, and this is the oldest")

  init(
    connection: Connection, introduction: Introduction, doorkeeper: Doorkeeper, logger: Logger, now: MonotonicInstant
  ) {
    self.connection = connection
    longestLine = connection.transport.longestLine ?? LineServer.longestLine
    self.introduction = introduction
    self.doorkeeper = doorkeeper
    self.logger = logger
    bucket = TokenBucket(at: now)
    noise = TokenBucket(at: now)
  }

  /// Whether the service was told who is there.
  var isIntroduced: Bool { introduction.isOver }

  /// What the client is told first.
  func begin(_ service: some LineService) {
    connection.send(
      .info(
        service.greeting(
          methods: introduction.methods, nonce: introduction.circumstances.nonce, longestLine: longestLine)))
  }

  /// Takes a line; false where the conversation is over.
  ///
  /// A serial port cannot be hung up: what would end a conversation that has not begun begins it anew instead.
  mutating func take(_ line: ReceivedLine, at now: MonotonicInstant, _ service: some LineService) async -> Bool {
    isHasty = !(line.isCommand ? bucket.take(at: now) : noise.take(at: now))
    if await hear(line, at: now, service) { return true }
    guard connection.transport == .serial, !isIntroduced else { return false }
    isOver = false
    begin(service)
    return true
  }

  private mutating func hear(
    _ line: ReceivedLine, at now: MonotonicInstant, _ service: some LineService
  ) async -> Bool {
    switch line {
    case .overlong:
      return refuse(LineError(.lineTooLong, "a line has at most \(longestLine) bytes"), tag: nil)
    case .breakCondition:
      return false
    // It needs no checksum: whoever says it does not know what was agreed.
    case .text(let bytes) where connection.transport == .serial && bytes.isEmptyHello:
      return false
    case .text(let bytes):
      guard let line = checksums.verify(bytes) else {
        return refuse(LineError(.badCRC, "a line ends in * and its CRC-16, four hexadecimal digits"), tag: nil)
      }
      if line.isHeartbeat { return true }
      guard !isHasty else {
        let tag = TaggedCommand.tag(of: line.readableBytesUInt8Span)
        return refuse(LineError(.rateLimited, "more than 50 commands at once; wait a second"), tag: tag)
      }
      do throws(RejectedLine) {
        let tagged = try TaggedCommand(parsing: line)
        return await take(tagged.command, tag: tagged.tag, at: now, service)
      } catch {
        return refuse(introduction.refusal(of: error, saying: String(buffer: line)), tag: error.tag)
      }
    }
  }

  private mutating func take(
    _ command: Command, tag: String?, at now: MonotonicInstant, _ service: some LineService
  ) async -> Bool {
    let step = introduction.take(command)
    await agree(command, step)
    switch step {
    case .answer(let fields): connection.send(.ok(tag: tag, fields))
    case .pong: connection.send(.pong(tag: tag))
    case .help: connection.send(.ok(tag: tag, Self.help(connection.role)))
    case .part:
      connection.send(.ok(tag: tag, [:]))
      isOver = true
      return false
    case .refuse(let error): return refuse(error, tag: tag)
    case .refuseProof(let error):
      // It keeps its place among those who are not known, so that others of its origin cannot guess on meanwhile.
      logger.notice(
        "somebody is not the app that they claim to be",
        metadata: ["peer": "\(connection.peer)", "over": "\(connection.transport)", "cause": "\(error.text)"])
      let delay = doorkeeper.noteFailure(of: connection.number, from: connection.peer.origin, at: now)
      try? await SystemClock.sleep(until: now + delay)
      return refuse(error, tag: tag)
    case .welcome(let hello, let identity):
      // Whoever waits for its place does not wait for the service, too.
      doorkeeper.leave(connection.number, from: connection.peer.origin)
      guard await service.hello(hello, tag: tag, as: identity, on: connection) else { return goBack() }
      limitSilence(hello)
    case .perform: await service.perform(command, tag: tag, on: connection)
    }
    return true
  }

  /// Who is known and was not welcome is nobody again: it may say another HELLO as long as one may be waited for.
  /// - Returns: false where others wait already for as many as may.
  private mutating func goBack() -> Bool {
    introduction.beginAnew()
    guard connection.role == .app, connection.transport != .serial else { return true }
    let connection = connection
    return doorkeeper.comeBack(connection.number, from: connection.peer.origin, at: SystemClock.monotonic) {
      connection.refuse(Self.tooMany)
    }
  }

  /// A HELLO that is taken may agree on checksums, and its reply has the first.
  private mutating func agree(_ command: Command, _ step: Introduction.Step) async {
    guard case .hello(let hello) = command, hello.usesCRC else { return }
    switch step {
    case .answer, .welcome:
      await connection.beginChecksums()
      checksums.isRequired = true
    case .pong, .help, .part, .refuse, .refuseProof, .perform: break
    }
  }

  private func limitSilence(_ hello: Hello) {
    let isLimited = connection.role == .app && hello.keepalive > 0
    connection.limit(
      SilenceLimit(
        limit: isLimited ? .milliseconds(Int64(hello.keepalive) * 1500) : nil,
        question: .seconds(Int64(hello.keepalive)),
        error: LineError(.keepaliveTimeout, "nothing heard for 1.5 × keepalive")))
  }

  /// Says why; false where the code closes.
  private func refuse(_ error: LineError, tag: String?) -> Bool {
    connection.send(.error(error, tag: tag, [:]))
    return !error.code.closes
  }

  private static func help(_ role: Connection.Role) -> ServerLine.Fields {
    switch role {
    case .app:
      ["verbs": "HELLO,AUTH,SUB,UNSUB,REQ,CANCEL,START,STOP,AUTHORIZE,STATE,REGION,ACK,STATUS,PING,HELP,BYE"]
    case .owner:
      [
        "verbs":
          "HELLO,SUB,UNSUB,STATUS,APPS,SET,USE,RESET,KEY,PROMPTS,ANSWER,REGIONS,LOG,VERIFY,COUNTS,METRICS,RELOAD,PAGE,"
          + "LOCK,SESSIONS,SKY,"
          + "PRESS,HOLD,PING,HELP,BYE"
      ]
    }
  }
}

extension ReceivedLine {
  /// Whether it may be one: what else comes is wrong, or a heartbeat.
  fileprivate var isCommand: Bool {
    switch self {
    case .overlong, .breakCondition: false
    case .text(let bytes): !bytes.isHeartbeat
    }
  }
}

extension ByteBuffer {
  /// Whether a line says no more than that somebody is there.
  fileprivate var isHeartbeat: Bool { readableBytes == 0 || readableBytesView.elementsEqual("PONG".utf8) }
}
