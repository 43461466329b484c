package import Base
package import LineProtocol

/// A reader of the state of a gateway for a screen. Each call of `read` requests only data that may have changed since
/// the previous call.
package struct OverviewReader: Sendable {
  /// The maximum count of log entries on the screen.
  package static let entries = 200
  /// The topics whose messages change the screen. For example, a user must see within a second which app the next press
  /// of the button is for.
  package static let topics = [Topic.ownerPrompt, .ownerApps, .indicator]
  /// The count of sessions above which only every fifth call of `read` requests the list of sessions.
  private static let manySessions = 100

  private let formatter: TextFormatter
  private var log = LogView()
  private var sessions: [Overview.Session] = []
  private var readings = 0

  package init(language: Language) {
    formatter = TextFormatter(unwrapped: language)
  }

  /// Reads the present state with commands to the gateway.
  /// - Throws: `LineError` if the gateway refuses a command, or the error of the connection.
  package mutating func read(from gateway: some OwnerGateway & Sendable) async throws -> Overview {
    let status = try await gateway.perform(.status).fields
    var overview = Overview()
    write(status, to: &overview)
    let (sky, satellites) = try await Self.list(.sky, of: gateway)
    overview.hdop = sky["hdop"].flatMap(Self.decimal)
    overview.horizontalAccuracy = sky["hacc"].flatMap(Self.decimal)
    overview.satellites = satellites.all().map { Overview.Satellite($0) }
    let views = OwnerViews(of: gateway, formatter)
    overview.apps = try await views.apps()
    if let number = status["prompt"].flatMap({ Int($0) }) {
      let prompts: [PromptMessage] = try await gateway.perform(.owner(.prompts)).messages.all()
      if let prompt = prompts.first(where: { $0.prompt == number }) {
        overview.question = views.view(of: prompt)
        overview.questionLeft = prompt.left.map {
          formatter.text(GatewayPhrase.left, [.count: "\((max(0, $0) + 999) / 1000)"])
        }
      }
    }
    overview.sessionCount = status["sessions"].flatMap { Int($0) } ?? 0
    overview.sessions = try await readSessions(count: overview.sessionCount, from: gateway)
    _ = try await views.read(into: &log, count: Self.entries)
    overview.entries = views.rows(of: log)
    readings += 1
    return overview
  }

  private func write(_ fields: ServerLine.Fields, to overview: inout Overview) {
    overview.gateway = fields["gateway"] ?? ""
    overview.board = fields["board"] ?? ""
    overview.indicator = formatter.indicator(fields) ?? ""
    overview.isLit = fields["indicator"].map { $0 != "off" } ?? false
    overview.isLocked = fields["locked"] == "true"
    overview.receiver = formatter.receiverState(fields) ?? ""
    overview.satellitesUsed = fields["sats"].flatMap { Int($0) }
    overview.waiting = formatter.waiting(fields)
    overview.lastPress = formatter.lastPress(fields)
    overview.faults =
      formatter.faults(fields) + formatter.receiverFaults(fields).filter { $0 != fields["receiver-power-fault"] }
    if let log = fields["log"], log == "broken" || log == "failing" {
      overview.faults.append("\(formatter.text(GatewayPhrase.log)): \(formatter.log(fields) ?? log)")
    }
    overview.faults += fields["warnings"].map { $0.split(separator: ",").map(String.init) } ?? []
  }

  private mutating func readSessions(
    count: Int, from gateway: some OwnerGateway & Sendable
  ) async throws -> [Overview.Session] {
    guard count <= Self.manySessions || readings % 5 == 0 else { return sessions }
    let command = OwnerCommand.sessions(app: nil, limit: OwnerCommand.mostEntries)
    let all: [SessionMessage] = try await Self.list(command, of: gateway).messages.all()
    sessions = all.map { session in
      let away = session.away == true ? [formatter.text(TopPhrase.away)] : []
      let now = formatter.now(
        isInUse: session.isInUse, updates: session.updates,
        waiting: session.armed == true ? formatter.text(AppPhrase.waits) : nil)
      return Overview.Session(
        number: session.session, app: session.app, transport: session.transport, peer: session.peer,
        since: session.since.map { TextFormatter.time($0) } ?? "", now: formatter.list(away + (now.map { [$0] } ?? [])))
    }
    return sessions
  }

  private static func list(
    _ command: OwnerCommand, of gateway: some OwnerGateway
  ) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    do {
      return try await gateway.perform(.owner(command))
    } catch let error as LineError where error.code == .unknownVerb {
      return ([:], [])
    }
  }

  /// Returns a number with one decimal. Nil if the text is not a number, or if the number is 1,000,000 or more.
  private static func decimal(_ text: String) -> String? {
    guard let value = Double(text), value.magnitude < 1e6 else { return nil }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10))"
  }
}

extension Overview.Satellite {
  init(_ message: SatelliteMessage) {
    let letters: [String: Character] = [
      "gps": "G", "glonass": "R", "galileo": "E", "beidou": "C", "qzss": "J", "navic": "I", "sbas": "S",
    ]
    self.init(
      system: message.gnss.flatMap { letters[$0] } ?? "X", number: message.id, elevation: message.el,
      azimuth: message.az, strength: message.ss, isUsed: message.used ?? false)
  }
}
