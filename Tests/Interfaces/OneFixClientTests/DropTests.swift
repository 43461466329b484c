import OneFixClient
import Requirements
import ScriptedGateways
import Synchronization
import Testing

/// A model of a gateway with one app: its requests, its session, and the grace period of the session.
private final class Model: Sendable {
  struct State {
    /// The token of the present session.
    var session: String?
    var sessions = 0
    var hasSubscription = false
    var isArmed = false
    /// The fix that the gateway has sent, until the client acknowledges it.
    var pending: Double?
    var disclosed = 0
    /// The violations of the protocol by the client.
    var violations: [String] = []
    /// The number of lines on the first connection.
    var steps = 0
  }

  let state = Mutex(State())
  let acknowledgements = Recorder<Int>()
  /// Whether sessions survive their connections.
  let hasGrace: Bool
  /// The number of steps after which the first connection is lost.
  let drop: Int

  init(hasGrace: Bool, drop: Int) {
    self.hasGrace = hasGrace
    self.drop = drop
  }

  func play(_ connection: inout GatewayConnection, _ number: Int, isCutInLine: Bool) async throws {
    if number == 0 {
      connection.isCutInLine = isCutInLine
      connection.step = { [self] in
        state.withLock { state in
          state.steps += 1
          return state.steps <= drop
        }
      }
    }
    try await connection.send("INFO proto=1 server=model id=model maxline=4096")
    while true {
      let (words, tag, line) = try await connection.command()
      if words[0] == "ACK" { acknowledgements.record(1) }
      for reply in state.withLock({ take(words, tag, line, &$0) }) { try await connection.send(reply) }
      if ["REQ", "STATUS"].contains(words[0]), let fix = state.withLock({ press(&$0) }) {
        try await connection.send(fix)
      }
      if words[0] == "BYE" { return }
    }
  }

  private func take(_ words: [String], _ tag: String, _ line: String, _ state: inout State) -> [String] {
    switch words[0] {
    case "HELLO":
      let isSame = hasGrace && state.session.map { line.contains("session=\($0)") } == true
      if !isSame { (state.hasSubscription, state.isArmed, state.pending) = (false, false, nil) }
      state.sessions += 1
      state.session = "token\(state.sessions)"
      let reply = "+OK \(tag) proto=1 session=\(state.session ?? "") authorization=notDetermined accuracy=full"
      return [reply] + (state.pending.map { ["MSG fix/once - id=1 dup=1 \(fixJSON($0))"] } ?? [])
    case "UNSUB":
      defer { state.hasSubscription = false }
      return [state.hasSubscription ? "+OK \(tag)" : "-ERR 405 bad-argument \(tag) :there is no subscription press"]
    case "SUB": state.hasSubscription = true
    case "REQ":
      if state.isArmed || state.pending != nil { state.violations.append("asked again while it was served: \(line)") }
      state.isArmed = true
      return ["+OK \(tag) state=awaiting-press"]
    case "STATUS": return ["+OK \(tag) state=\(state.isArmed ? "awaiting-press" : "idle")"]
    case "CANCEL": state.isArmed = false
    case "ACK": state.pending = nil
    default: break
    }
    return ["+OK \(tag)"]
  }

  /// Simulates a press that follows a request immediately.
  private func press(_ state: inout State) -> String? {
    guard state.isArmed else { return nil }
    state.isArmed = false
    state.disclosed += 1
    state.pending = 40 + Double(state.disclosed)
    return "MSG fix/once - id=1 \(fixJSON(40 + Double(state.disclosed)))"
  }
}

@Suite struct DropTests {
  /// The number of steps until the client is connected: INFO, HELLO and its reply, SUB and its reply.
  private static let introduction = 5

  @Test(.patient, arguments: [true, false], [true, false])
  func `after a loss at any step, one request gives one fix`(hasGrace: Bool, isCutInLine: Bool) async throws {
    for drop in 0... {
      let socket = TemporarySocket()
      let model = Model(hasGrace: hasGrace, drop: drop)
      let gateway = try await ScriptedGateway(socket.path) {
        try await model.play(&$0, $1, isCutInLine: isCutInLine)
      }
      do {
        let armed = Recorder<Int>()
        let client = try await OneFixClient.connect(socket.endpoint, app: "app", options: hasty)
        let fix = try await client.requestOnce(armed: { armed.record(1) })
        // Without a grace period, the client does not repeat a lost acknowledgement.
        if hasGrace { await model.acknowledgements.first(1) }
        let state = model.state.withLock { $0 }
        #expect(state.violations == [], "dropped before step \(drop)")
        #expect(fix.coordinate?.latitude == 40 + Double(state.disclosed), "the last fix, where it was asked for twice")
        #expect(state.disclosed == 1 || !hasGrace)
        #expect(armed.values.count <= 1)
        await client.close()
        if state.steps <= drop { break }
      } catch {
        #expect(drop < Self.introduction && error == .connectionLost, "\(error), dropped before step \(drop)")
      }
      await gateway.stop()
    }
  }
}
