import Base
import LineProtocol
import OwnerScreens
import Synchronization

/// A gateway that replies like the real one about the apps and prompts of a test.
final class SimulatedGateway: OwnerGateway, Sendable {
  struct App: Sendable {
    var id: String
    var name: String?
    var status = AuthorizationStatus.notDetermined
    var accuracy = FixAccuracy.full
    var isProvisional = false
    var sessions = 0
    var isArmed = false
    var isNext = false
    var isForEachPress = false
    var isInUse = false
    var updates: String?
    var pause: String?
    var says: String?
    /// The end of the right, and the right that applies then.
    var until: String?
    var then: String?

    var shown: String {
      switch status {
      case .notDetermined: isArmed ? "when-i-share" : "ask-next-time"
      case .denied: "never"
      case .whenInUse: "while-using"
      case .always: "always"
      case .restricted: "restricted"
      }
    }

    var json: String {
      JSONObject.text([
        "app": id, "name": name ?? id, "status": status.rawValue, "shown": shown, "provisional": isProvisional,
        "confirmed": false, "accuracy": accuracy.rawValue, "sessions": sessions, "armed": isArmed,
        "next": isNext ? true : nil, "each-press": isForEachPress ? true : nil, "in-use": isInUse, "updates": updates,
        "pause": pause,
        "says": says, "until": until, "then": then,
      ])
    }
  }

  struct State: Sendable {
    var apps: [App] = []
    /// The prompts as the gateway sends them, the open one first.
    var prompts: [String] = []
    var choices = ["yes", "no"]
    var regions: [String] = []
    var places: [String] = []
    var log: [String] = []
    var sessions: [String] = []
    var satellites: [String] = []
    /// The fields of the reply about the satellites.
    var sky: ServerLine.Fields = [:]
    var status: ServerLine.Fields = [:]
    var isLocked = false
    /// The commands that the gateway received.
    var heard: [String] = []
  }

  private let state: Mutex<State>

  func localTime(of time: UTCTime) -> String { String(time.iso8601.dropFirst(11).prefix(5)) }

  init(_ state: State) { self.state = Mutex(state) }

  var heard: [String] { state.withLock { $0.heard } }

  func pause() async throws {}

  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    try state.withLock { state throws(LineError) in
      state.heard.append(command.line)
      switch command {
      case .status: return (state.status, [])
      case .owner(let command): return try state.take(command)
      default: throw LineError(.unknownVerb, "this socket is for owners (apps use the apps' socket)")
      }
    }
  }
}

extension SimulatedGateway.State {
  fileprivate mutating func take(
    _ command: OwnerCommand
  ) throws(LineError) -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    switch command {
    case .apps: return list(.ownerApps, apps.map(\.json))
    case .prompts: return list(.ownerPrompt, prompts)
    case .regions: return list(.ownerRegions, regions)
    case .place(.list): return list(.ownerPlaces, places)
    case .log: return list(.ownerLog, log)
    case .set(let app, let setting):
      let index = try index(of: app)
      switch setting {
      case .status(let status, _): apps[index].status = status
      case .accuracy(let accuracy): apps[index].accuracy = accuracy
      }
    case .reset(let app): apps.remove(at: try index(of: app))
    case .use(let app):
      let index = try index(of: app)
      apps[index].isInUse = apps[index].sessions > 0 && !isLocked
    case .answer(let prompt, let choice, _, _):
      guard prompts.first?.contains("\"prompt\":\(prompt),") == true else {
        throw LineError(.expired, "prompt \(prompt) is no longer open")
      }
      guard choices.contains(choice.rawValue) else { throw LineError(.badArgument, "the answer must be one of: …") }
      prompts.removeFirst()
    case .lock:
      isLocked = true
      return (["locked": "true"], [])
    case .addKey(let app, let isToken):
      _ = try index(of: app)
      return (["app": app, isToken ? "token" : "key": String(repeating: "kK-_", count: 10) + "end"], [])
    case .revokeKey(let app):
      _ = try index(of: app)
      return (["app": app], [])
    case .page: return (["link": "http://127.0.0.1:8021/#kK-_kK-_", "expires": "120"], [])
    case .reload: return (["restart-for": "listen"], [])
    case .sessions: return list(.ownerSessions, sessions)
    case .sky: return (sky, list(.ownerSky, satellites).messages)
    case .verify, .counts, .metrics, .press, .hold, .display: throw LineError(.internal, "no verb says that")
    case .place: break
    }
    return ([:], [])
  }

  private func index(of app: String) throws(LineError) -> Int {
    guard let index = apps.firstIndex(where: { $0.id == app }) else {
      throw LineError(.badArgument, "no app \(app) (APPS lists the apps)")
    }
    return index
  }

  private func list(_ topic: Topic, _ objects: [String]) -> (fields: ServerLine.Fields, messages: [ServerLine.Message])
  {
    (["count": "\(objects.count)"], objects.map { ServerLine.Message(topic: topic.rawValue, sid: "-", json: $0) })
  }
}

extension SimulatedGateway.State {
  static let question =
    #"{"prompt":3,"app":"ferry","kind":"authorize","name":"Fähre 公園","text":"May Fähre 公園 know?","#
    + #""choices":"once,while-using,no","accuracies":"full,reduced","says":"To warn of shallows, in time","state":"open"}"#

  /// A state with all kinds of data.
  static var busy: Self {
    var state = Self()
    state.apps = [
      .init(id: "ferry", name: "Fähre 公園", sessions: 2, isArmed: true, isInUse: true),
      .init(
        id: "logbook", status: .whenInUse, accuracy: .reduced, isProvisional: true,
        pause: "2026-11-21T07:31:34.200Z"),
      .init(id: String(repeating: "long-", count: 12) + "name", status: .denied),
    ]
    state.prompts = [question]
    state.choices = ["once", "while-using", "no"]
    state.regions = [
      #"{"app":"ferry","id":"harbour","radius":250.0,"events":"enter,exit","state":"inside","text":"Home, 公園"}"#,
      #"{"app":"ferry","id":"bay","radius":1540.0,"events":"exit","state":"unknown","text":""}"#,
    ]
    state.places = [
      #"{"name":"harbour","radius":300.0,"apps":"ferry,logbook"}"#, #"{"name":"sea","radius":20000.0,"apps":""}"#,
    ]
    state.log = [
      #"{"entry":1,"time":"2026-11-21T07:31:34.200Z","app":"ferry","event":"disclosure","accuracy":"full","#
        + #""right":"once","transport":"unix","simulated":true}"#,
      #"{"entry":2,"time":"2026-11-21T07:31:34.300Z","event":"outcome","of":1,"outcome":"acknowledged"}"#,
      #"{"entry":3,"time":"2026-11-21T07:32:00.000Z","app":"logbook","event":"interval","accuracy":"reduced","#
        + #""right":"whenInUse","transport":"unix"}"#,
      #"{"entry":4,"time":"2026-11-21T07:33:00.000Z","event":"end","of":3,"outcome":"outOfUse","fixes":12}"#,
    ]
    state.sessions = [
      #"{"session":4,"app":"ferry","transport":"unix","peer":"uid 1000","since":"2026-11-21T07:30:00.000Z","#
        + #""armed":true,"in-use":false}"#,
      #"{"session":9,"app":"logbook","transport":"tls","peer":"192.0.2.7","since":"2026-11-21T07:31:00.000Z","#
        + #""away":true,"armed":false,"in-use":true,"updates":"background"}"#,
    ]
    state.satellites = [
      #"{"gnss":"gps","id":5,"el":41,"az":301,"ss":44,"used":true}"#, #"{"gnss":"sbas","id":123,"used":false}"#,
      #"{"id":70,"el":3,"az":12,"ss":20}"#,
    ]
    state.status = [
      "gateway": "boat-7", "board": "raspberry-pi-4", "server": "onefix/1.0.0", "receiver": "ready", "fix": "3d",
      "sats": "11", "source": "uart:/dev/ttyAMA0", "fix-age": "fresh", "frames": "4711", "errors": "checksum:3,field:1",
      "indicator": "in-use", "button-fault": "main:stuck", "locked": "false", "prompt": "3", "prompt-app": "ferry",
      "sessions": "2", "armed": "ferry,logbook", "warnings": "receiver-shared", "log": "good", "settings": "partly",
      "settings-refused": "rate", "settings-unanswered": "gst,sbas", "line": "full",
    ]
    return state
  }
}

/// Performs a verb on a gateway with the given state.
func ownerReport(
  _ verb: String, _ state: SimulatedGateway.State = .busy, language: Language = .english, columns: Int = 80,
  hasColours: Bool = false
) async throws -> OwnerReport {
  try await OwnerVerb(parsing: verb)
    .perform(on: SimulatedGateway(state), language: language, columns: columns, hasColours: hasColours)
}
