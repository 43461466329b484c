import AppStandings
import Authorization
import Base
import LineProtocol

extension Authorization {
  func isAsking(_ app: AppID) -> Bool { asks[app] != nil }
}

extension Duration {
  static var nanosecond: Duration { .nanoseconds(1) }
}

/// An authorization with the apps a, b and c, which are connected as sessions 1, 2 and 3, and short functions for
/// events.
struct Bench {
  var authorization: Authorization
  private(set) var requests: UInt64 = 0

  init(_ standings: [AppID: Standing] = [:], _ configure: (inout Authorization.Configuration) -> Void = { _ in }) {
    self.init(records: standings.map { $1.record($0) }, configure)
  }

  init(records: [AppRecord], _ configure: (inout Authorization.Configuration) -> Void = { _ in }) {
    var configuration = Authorization.Configuration()
    configure(&configuration)
    authorization = Authorization(configuration: configuration, records: records)
    for (index, app) in [a, b, c].enumerated() {
      _ = authorization.handle(.sessionOpened(SessionID(UInt64(index + 1)), app), at: at(.zero))
    }
  }

  /// Makes a request. Requests are numbered from 1.
  @discardableResult
  mutating func request(
    _ session: UInt64, at time: Duration, timeout: Duration = .seconds(300), requiresPress: Bool = true,
    _ kind: RequestKind = .explicit
  ) -> [Effect] {
    requests += 1
    let app = authorization.sessions[SessionID(session)]?.app
    let isFirst = app.map { authorization.record(of: $0).lastServed == nil } ?? false
    let effects = authorization.handle(
      .requested(RequestID(requests), SessionID(session), timeout: timeout, requiresPress: requiresPress, kind: kind),
      at: at(time))
    // The first arm of an app is saved. A separate test checks this, so the effect is removed here.
    return isFirst ? effects.filter { if case .save = $0 { false } else { true } } : effects
  }

  @discardableResult
  mutating func start(_ session: UInt64, at time: Duration, background: Bool = false) -> [Effect] {
    requests += 1
    return authorization.handle(.started(RequestID(requests), SessionID(session), background: background), at: at(time))
  }

  @discardableResult
  mutating func ask(_ session: UInt64, _ requested: RequestedAuthorization, at time: Duration) -> [Effect] {
    requests += 1
    return authorization.handle(.asked(RequestID(requests), SessionID(session), requested), at: at(time))
  }

  /// Answers the open prompt without the button.
  @discardableResult
  mutating func answer(
    _ choice: PromptChoice, showsText: Bool = true, at time: Duration
  ) -> [Effect] {
    guard let prompt = authorization.prompt ?? authorization.prompts.first else { return [] }
    return handle(.answered(prompt: prompt.id, Answer(choice, showsText: showsText)), at: time)
  }

  /// The last number of a request or start.
  var last: RequestID { RequestID(requests) }

  @discardableResult
  mutating func press(
    _ button: String = "main", down: Duration, up: Duration? = nil, heard: Duration? = nil, illegible: String? = nil,
    showsText: Bool = false
  ) -> [Effect] {
    let up = up ?? down + .milliseconds(100)
    let press = Press(button: button, down: at(down), up: at(up))
    return authorization.handle(.pressed(press, illegible: illegible, showsText: showsText), at: at(heard ?? up))
  }

  @discardableResult
  mutating func hold(_ button: String = "main", down: Duration, _ multiple: Int = 1) -> [Effect] {
    authorization.handle(
      .held(Hold(button: button, down: at(down), multiple: multiple)), at: at(down + .seconds(3) * multiple))
  }

  /// Loads another configuration.
  @discardableResult
  mutating func configure(
    at time: Duration, _ change: (inout Authorization.Configuration) -> Void = { _ in }
  ) -> [Effect] {
    var configuration = Authorization.Configuration()
    change(&configuration)
    return handle(.ordered(.configure(configuration)), at: time)
  }

  @discardableResult
  mutating func handle(_ event: Event, at time: Duration) -> [Effect] {
    authorization.handle(event, at: at(time))
  }
}

extension AppRecord {
  /// The record of the same app after its first arm.
  var armed: AppRecord {
    var record = self
    record.lastServed = record.lastServed ?? 0
    return record
  }
}

extension [Effect] {
  var served: [Grant] {
    compactMap { if case .serve(let grant) = $0 { grant } else { nil } }
  }
  var servedApps: [AppID] { served.map(\.app) }
  var shown: Prompt? {
    lazy.compactMap { if case .show(let prompt) = $0 { prompt } else { nil } }.first
  }
  var saved: [AppRecord] {
    compactMap { if case .save(let record) = $0 { record } else { nil } }
  }
  var ended: [RequestID: Ending] {
    var ended: [RequestID: Ending] = [:]
    for case .end(let request, let ending) in self { ended[request] = ending }
    return ended
  }
  /// The effects other than saved records and answers.
  var outward: [Effect] {
    filter {
      switch $0 {
      case .save, .saveLock, .recordAnswer, .checkLegibility: false
      default: true
      }
    }
  }
}
