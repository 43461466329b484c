import Authorization
import Clocks

let a = AppID("a")!
let b = AppID("b")!
let c = AppID("c")!

/// A time of a test: so long after the machine's start.
func at(_ time: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + time }

extension Duration {
  static var nanosecond: Duration { .nanoseconds(1) }
}

/// The states that rows A1 to A5 begin with.
enum Standing: String, CaseIterable {
  case new, confirmed, whenInUse, always, denied

  func record(_ app: AppID) -> AppRecord {
    var record = AppRecord(app: app)
    switch self {
    case .new: break
    case .confirmed: record.isButtonConfirmed = true
    case .whenInUse: record.status = .whenInUse
    case .always: record.status = .always
    case .denied: record.status = .denied
    }
    return record
  }
}

/// An authorization with the apps a, b, c connected as the sessions 1, 2, 3, and short words for what happens to it.
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

  /// Requests are numbered from 1.
  @discardableResult
  mutating func request(_ session: UInt64, at time: Duration, timeout: Duration = .seconds(300)) -> [Effect] {
    requests += 1
    return authorization.handle(
      .requested(RequestID(requests), SessionID(session), timeout: timeout), at: at(time))
  }

  @discardableResult
  mutating func press(
    _ button: String = "main", down: Duration, up: Duration? = nil, heard: Duration? = nil, illegible: String? = nil
  ) -> [Effect] {
    let up = up ?? down + .milliseconds(100)
    let press = Press(button: button, down: at(down), up: at(up))
    return authorization.handle(.pressed(press, illegible: illegible), at: at(heard ?? up))
  }

  @discardableResult
  mutating func hold(_ button: String = "main", down: Duration, _ multiple: Int = 1) -> [Effect] {
    authorization.handle(
      .held(Hold(button: button, down: at(down), multiple: multiple)), at: at(down + .seconds(3) * multiple))
  }

  @discardableResult
  mutating func happen(_ event: Event, at time: Duration) -> [Effect] {
    authorization.handle(event, at: at(time))
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
  /// Everything but what is only kept.
  var outward: [Effect] {
    filter {
      switch $0 {
      case .save, .saveLock: false
      default: true
      }
    }
  }
}
