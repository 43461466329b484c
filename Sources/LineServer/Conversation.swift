import Clocks
import LineFraming
import LineProtocol
import NIOCore

/// One connection's talk: first who is there, then commands, at most so many at once.
struct Conversation {
  let connection: Connection
  private var introduction: Introduction
  /// The client said BYE.
  private(set) var isOver = false
  /// It has said more than it may: what it says next is heard after a pause, so that it costs others nothing.
  private(set) var isHasty = false
  private var bucket: TokenBucket
  /// Of lines that are no commands: they take none of a client's.
  private var noise: TokenBucket

  /// Short enough for a client that is told so, and does not read that, to be found out.
  static let pause = Duration.milliseconds(1)

  init(connection: Connection, introduction: Introduction, now: MonotonicInstant) {
    self.connection = connection
    self.introduction = introduction
    bucket = TokenBucket(at: now)
    noise = TokenBucket(at: now)
  }

  /// Whether the service was told who is there.
  var isIntroduced: Bool { introduction.isOver }

  /// What the client is told first.
  func begin(_ service: some LineService) {
    connection.send(.info(service.greeting(methods: introduction.methods, nonce: introduction.circumstances.nonce)))
  }

  /// Takes a line; false where the conversation is over.
  mutating func take(_ line: ReceivedLine, at now: MonotonicInstant, _ service: some LineService) async -> Bool {
    isHasty = !(line.isCommand ? bucket.take(at: now) : noise.take(at: now))
    switch line {
    case .overlong:
      return refuse(LineError(.lineTooLong, "a line has at most \(LineServer.longestLine) bytes"), tag: nil)
    case .garbled:
      return refuse(LineError(.badLine, "a line is UTF-8 text"), tag: nil)
    case .text(""), .text("PONG"):
      return true  // A heartbeat.
    case .text(let text):
      guard !isHasty else {
        return refuse(LineError(.rateLimited, "more than 50 commands at once; wait a second"), tag: nil)
      }
      do throws(RejectedLine) {
        let tagged = try TaggedCommand(parsing: text)
        return await take(tagged.command, tag: tagged.tag, service)
      } catch {
        return refuse(introduction.refusal(of: error, saying: text), tag: error.tag)
      }
    }
  }

  private mutating func take(_ command: Command, tag: String?, _ service: some LineService) async -> Bool {
    switch introduction.take(command) {
    case .answer(let fields): connection.send(.ok(tag: tag, fields))
    case .pong: connection.send(.pong(tag: tag))
    case .help: connection.send(.ok(tag: tag, Self.help(connection.role)))
    case .part:
      connection.send(.ok(tag: tag, [:]))
      isOver = true
      return false
    case .refuse(let error), .refuseProof(let error): return refuse(error, tag: tag)
    case .welcome(let hello, let identity):
      limitSilence(hello)
      await service.hello(hello, tag: tag, as: identity, on: connection)
    case .perform: await service.perform(command, tag: tag, on: connection)
    }
    return true
  }

  private func limitSilence(_ hello: Hello) {
    let isLimited = connection.role == .app && hello.keepalive > 0
    connection.limitSilence(
      isLimited ? .milliseconds(Int64(hello.keepalive) * 1500) : nil,
      LineError(.keepaliveTimeout, "nothing heard for 1.5 × keepalive"))
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
        "verbs": "HELLO,SUB,UNSUB,STATUS,APPS,SET,USE,RESET,KEY,PROMPTS,ANSWER,REGIONS,LOG,VERIFY,COUNTS,LOCK,PRESS,"
          + "HOLD,PING,HELP,BYE"
      ]
    }
  }
}

extension ReceivedLine {
  /// Whether it may be one: what else comes is wrong, or a heartbeat.
  fileprivate var isCommand: Bool {
    switch self {
    case .overlong, .garbled, .text(""), .text("PONG"): false
    case .text: true
    }
  }
}
