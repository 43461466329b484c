import Clocks
import LineFraming
import LineProtocol
import NIOCore

/// One connection's talk: first HELLO, then commands, at most so many at once.
struct Conversation {
  let connection: Connection
  let rules: IdentityRules
  private(set) var isIntroduced = false
  /// The client said BYE.
  private(set) var isOver = false
  private var bucket: TokenBucket
  private var checksums = ChecksumRule()

  init(connection: Connection, rules: IdentityRules, now: MonotonicInstant) {
    self.connection = connection
    self.rules = rules
    bucket = TokenBucket(at: now)
  }

  /// Takes a line; false where the conversation is over.
  mutating func take(_ line: ReceivedLine, at now: MonotonicInstant, _ service: some LineService) async -> Bool {
    switch line {
    case .overlong:
      return refuse(LineError(.lineTooLong, "a line has at most \(LineServer.longestLine) bytes"), tag: nil)
    case .breakCondition:
      return true
    case .text(let bytes):
      guard let line = checksums.verify(bytes) else {
        return refuse(LineError(.badCRC, "a line ends in * and its CRC-16, four hexadecimal digits"), tag: nil)
      }
      return await take(line, at: now, service)
    }
  }

  private mutating func take(_ line: ByteBuffer, at now: MonotonicInstant, _ service: some LineService) async -> Bool {
    if line.readableBytes == 0 || line.readableBytesView.elementsEqual("PONG".utf8) { return true }  // A heartbeat.
    guard bucket.take(at: now) else {
      return refuse(LineError(.rateLimited, "more than 50 commands at once; wait a second"), tag: nil)
    }
    do throws(RejectedLine) {
      let tagged = try TaggedCommand(parsing: line)
      return await take(tagged.command, tag: tagged.tag, service)
    } catch {
      return refuse(isIntroduced || line.isHello ? error.error : Self.notIntroduced, tag: error.tag)
    }
  }

  private static let notIntroduced = LineError(.authRequired, "say HELLO first: HELLO 1 app=ID")

  private mutating func take(_ command: Command, tag: String?, _ service: some LineService) async -> Bool {
    switch command {
    case .ping:
      connection.send(.pong(tag: tag))
    case .help:
      connection.send(.ok(tag: tag, Self.help(connection.role)))
    case .bye:
      connection.send(.ok(tag: tag, [:]))
      isOver = true
      return false
    case .hello(let hello):
      return await introduce(hello, tag: tag, service)
    case .authenticate:
      return refuse(LineError(.badArgument, "who speaks here is known already; AUTH is for TCP, TLS"), tag: tag)
    case .owner where connection.role != .owner:
      return refuse(LineError(.notOwner, "owners speak on the owners' socket, owner.sock"), tag: tag)
    case .subscribe, .unsubscribe, .requestOnce, .cancel, .startUpdates, .stopUpdates, .authorize, .state, .region,
      .acknowledge, .status, .owner:
      guard isIntroduced else { return refuse(Self.notIntroduced, tag: tag) }
      await service.perform(command, tag: tag, on: connection)
    }
    return true
  }

  private mutating func introduce(_ hello: Hello, tag: String?, _ service: some LineService) async -> Bool {
    guard !isIntroduced else { return refuse(LineError(.badArgument, "HELLO was said already"), tag: tag) }
    guard hello.versions.contains(1) || hello.versions.isEmpty else {
      return refuse(LineError(.protoMismatch, "this gateway speaks version 1"), tag: tag)
    }
    if hello.usesCRC {
      connection.useChecksums()
      checksums = ChecksumRule(isRequired: true)
    }
    let keepalive = hello.keepalive == 0 ? nil : TimeAmount.milliseconds(Int64(hello.keepalive) * 1500)
    let tooQuiet = LineError(.keepaliveTimeout, "nothing heard for 1.5 × keepalive")
    switch connection.role {
    case .owner:
      connection.limitSilence(nil, tooQuiet)
      isIntroduced = true
      await service.hello(hello, tag: tag, app: nil, on: connection)
    case .app:
      switch rules.identify(hello.app, connection.peer) {
      case .failure(let refusal): return refuse(LineError(.authFailed, refusal.text), tag: tag)
      case .success(let app):
        connection.limitSilence(keepalive, tooQuiet)
        isIntroduced = true
        await service.hello(hello, tag: tag, app: app, on: connection)
      }
    }
    return true
  }

  /// Says why; false where the code closes.
  private func refuse(_ error: LineError, tag: String?) -> Bool {
    connection.send(.error(error, tag: tag, [:]))
    return !error.code.closes
  }

  private static func help(_ role: Connection.Role) -> ServerLine.Fields {
    switch role {
    case .app: ["verbs": "HELLO,SUB,UNSUB,REQ,CANCEL,START,STOP,AUTHORIZE,STATE,REGION,ACK,STATUS,PING,HELP,BYE"]
    case .owner:
      [
        "verbs": "HELLO,SUB,UNSUB,STATUS,APPS,SET,USE,RESET,PROMPTS,ANSWER,REGIONS,LOG,VERIFY,COUNTS,LOCK,PRESS,HOLD,"
          + "PING,HELP,BYE"
      ]
    }
  }
}
