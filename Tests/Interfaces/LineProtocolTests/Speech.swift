import Base
import GNSS
import LineProtocol
import SeededNumbers

/// A generator of random commands and lines of every kind.
struct Speech {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    // The bounds of the range find the most faults.
    switch Int.random(in: 0...7, using: &random) {
    case 0: range.lowerBound
    case 1: range.upperBound
    default: Int.random(in: range, using: &random)
    }
  }

  mutating func maybe<Value>(_ make: (inout Speech) throws -> Value) rethrows -> Value? {
    Bool.random(using: &random) ? try make(&self) : nil
  }

  mutating func one<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }

  private mutating func letters(_ alphabet: String, _ count: ClosedRange<Int>) -> String {
    let letters = Array(alphabet)
    return String((0..<number(count)).map { _ in one(of: letters) })
  }

  mutating func token() -> String { letters("abcXYZ019.-_", 1...32) }

  mutating func tag() -> String? { maybe { "@" + $0.token() } }

  mutating func hex(_ count: Int) -> String { letters("0123456789abcdefABCDEF", count...count) }

  /// Returns a random word that the protocol does not interpret.
  mutating func word() -> String { letters("aZ9=:*@#é公ß\u{301}\"{[", 1...20) }

  /// Returns a random text with characters that need escaping.
  mutating func anything() -> String { letters("aZ9 =:@#é公\n\r\t\0\u{1B}\u{7F}\u{2028}\"{", 1...20) }

  /// Returns a random purpose of an app. A purpose can contain the syntax of the protocol.
  mutating func purpose() -> String { letters("az AZ09=:*@#é公,.\"{}", 1...40) }

  mutating func filter() throws -> TopicFilter {
    var levels = (0..<number(1...7)).map { _ in one(of: ["fix", "once", "+", "region", "ä", "x-1"]) }
    if Bool.random(using: &random) { levels.append("#") }
    return try TopicFilter(levels.joined(separator: "/"))
  }

  /// Returns a random time. A line contains times in whole milliseconds.
  mutating func time() -> UTCTime {
    UTCTime(nanosecondsSince1970: Int64(number(0...4_000_000_000_000)) * 1_000_000)
  }

  mutating func region() throws -> Region {
    let scale = one(of: [1.0, 1e3, 1e6, 1e10])
    func decimal(_ range: ClosedRange<Double>, _ random: inout SplitMix64) -> Double {
      (Double.random(in: range, using: &random) * scale).rounded() / scale
    }
    let centre = Coordinate(latitude: decimal(-90...90, &random), longitude: decimal(-180...180, &random))
    return try Region(
      id: token(), centre: centre!, radius: max(100, decimal(100...100_000, &random)),
      events: one(of: [[.enter], [.exit], [.enter, .exit]]), text: one(of: ["", " ", purpose()]))
  }
}

extension Speech {
  /// Returns one command of each kind.
  mutating func commands() throws -> [Command] {
    [
      .hello(hello()), .authenticate(Bool.random(using: &random) ? .token(word()) : .hmac(hex(64))),
      .subscribe(try filter(), sid: token(), qos: maybe { $0.number(0...1) }),
      .unsubscribe(sid: token(), after: maybe { $0.number(1...1_000_000) }), .requestOnce(request()), .cancel,
      .startUpdates(
        UpdatesRequest(
          interval: maybe { $0.number(0...86_400_000) }, distance: maybe { $0.number(0...1_000_000) },
          isBackground: Bool.random(using: &random))),
      .stopUpdates, authorize(), .state(isInBackground: Bool.random(using: &random)),
      .region(one(of: [.add(try region()), .remove(id: token()), .list])), .acknowledge(number(1...Int.max)), .status,
      .ping, .help, .bye,
    ] + ownerCommands().map(Command.owner)
  }

  private mutating func hello() -> Hello {
    Hello(
      versions: (0..<number(0...3)).map { _ in number(1...1000) }, app: maybe { $0.word() },
      keepalive: number(0...86_400), session: maybe { $0.word() }, nonce: maybe { $0.hex(32) },
      usesCRC: Bool.random(using: &random))
  }

  private mutating func request() -> OnceRequest {
    OnceRequest(
      accuracy: maybe { $0.one(of: FixAccuracy.allCases) }, maximumAge: maybe { $0.number(0...60_000) },
      timeout: maybe { $0.number(1...3600) }, requiresPress: Bool.random(using: &random),
      purpose: maybe { $0.purpose() })
  }

  private mutating func authorize() -> Command {
    let requested = one(of: RequestedAuthorization.allCases)
    return .authorize(requested, purpose: requested == .fullAccuracy ? purpose() : maybe { $0.purpose() })
  }

  mutating func ownerCommands() -> [OwnerCommand] {
    [
      .apps, .prompts,
      .log(
        since: maybe { $0.time() }, app: maybe { $0.word() }, limit: maybe { $0.number(1...OwnerCommand.mostEntries) },
        after: maybe { $0.number(0...Int.max) }),
      .verify, .counts(since: maybe { $0.time() }),
      .answer(
        prompt: number(1...Int.max), one(of: PromptChoice.allCases),
        accuracy: maybe { $0.one(of: FixAccuracy.allCases) },
        on: PromptDisplay(language: one(of: [nil, "de", "zh-Hans"]), surface: one(of: [nil, .console, .page]))),
      .set(
        app: word(),
        one(of: [
          .status(one(of: AuthorizationStatus.settable)), .accuracy(one(of: FixAccuracy.allCases)),
          .status(one(of: [.whenInUse, .always]), for: .seconds(number(TypedDuration.secondsRange))),
        ])),
      .use(app: word()), .reset(app: word()), .addKey(app: word(), isToken: Bool.random(using: &random)),
      .revokeKey(app: word()), .reload, .page, .lock, .metrics,
      .regions(app: maybe { $0.word() }), .sky,
      .sessions(
        app: maybe { $0.word() }, limit: maybe { $0.number(1...OwnerCommand.mostEntries) },
        after: maybe { $0.number(0...Int.max) }),
      .press(milliseconds: maybe { $0.number(1...60_000) }, button: maybe { $0.word() }),
      .hold(button: maybe { $0.word() }),
      .place(placeCommand()),
      .display(
        frame: maybe { _ in MonotonicInstant(nanoseconds: 1_500_000_000) }, prompt: maybe { _ in 3 }),
    ]
  }

  private mutating func placeCommand() -> PlaceCommand {
    let names = (0..<Int.random(in: 1...3, using: &random)).map { "p\($0)" }
    return switch Int.random(in: 0..<6, using: &random) {
    case 0: .add(name: "harbour", radius: 300, centre: nil)
    case 1: .add(name: "a.b-C_d", radius: 99_999.5, centre: Coordinate(latitude: -47.25, longitude: 8.5))
    case 2: .remove(name: "harbour")
    case 3: .allow(app: word(), names: names)
    case 4: .deny(app: word(), names: Bool.random(using: &random) ? [] : names)
    default: .list
    }
  }

  /// Returns one line of each kind that the gateway sends.
  mutating func serverLines() -> [ServerLine] {
    [
      .info(fields()), .ok(tag: tag(), fields()),
      .error(LineError(one(of: ErrorCode.allCases), one(of: ["", purpose()])), tag: tag(), fields()),
      .message(
        .init(
          topic: one(of: ["fix/once", "region/ä", "owner/log"]), sid: one(of: ["-", token()]),
          id: maybe { $0.number(1...Int.max) }, isRedelivered: Bool.random(using: &random),
          isRetained: Bool.random(using: &random), json: one(of: ["{}", "[]", "{\"a\": \"b  é\"}", "[1, 2]"]))),
      .ping, .pong(tag: tag()),
    ]
  }

  private mutating func fields() -> ServerLine.Fields {
    var fields: ServerLine.Fields = [:]
    for key in ["state", "retry-after", "x_1", "a.b"] where Bool.random(using: &random) {
      fields[key] = one(of: ["", word()])
    }
    return fields
  }
}

/// Returns the name of a command's case. A new command does not compile until `Speech` generates it.
func kind(_ command: Command) -> String {
  switch command {
  case .hello, .authenticate, .subscribe, .unsubscribe, .requestOnce, .cancel, .startUpdates, .stopUpdates, .authorize,
    .state, .region, .acknowledge, .status, .ping, .help, .bye:
    nameOfCase(command)
  case .owner(let command):
    switch command {
    case .apps, .prompts, .log, .verify, .counts, .answer, .set, .use, .reset, .addKey, .revokeKey, .reload, .lock,
      .regions, .press, .hold, .sessions, .sky, .page, .metrics, .place, .display:
      "owner " + nameOfCase(command)
    }
  }
}

func kind(_ line: ServerLine) -> String {
  switch line {
  case .info, .ok, .error, .message, .ping, .pong: nameOfCase(line)
  }
}

private func nameOfCase(_ value: Any) -> String { Mirror(reflecting: value).children.first?.label ?? "\(value)" }
