import Authorization
import LineProtocol
import Ports
import RecordingClients
import SeededNumbers
import Testing

@testable import Gateway

@Suite struct SessionTableTests {
  private let record = Record()
  private let first: RecordingConnection

  init() { first = record.connection(1) }

  /// A table with a session of `a` on connection 1.
  private func table() -> SessionTable {
    var table = SessionTable()
    #expect(table.open(a, first, .transport, indication: "off", at: at(.zero)) == SessionID(1))
    return table
  }

  private func begin(_ kind: IncomingRequest.Kind, in table: inout SessionTable) -> RequestID {
    table.begin(IncomingRequest(session: SessionID(1), kind: kind, tag: "t", connection: first))
  }

  private func calls(_ body: () -> Void) -> [String] { record.lines { _ in body() } }

  // MARK: Requests

  @Test func `a request is answered, and has its session until it ends`() {
    var table = table()
    let id = begin(.once(OnceRequest(maximumAge: 5)), in: &table)
    #expect(table.incoming(id) != nil && table.session(of: id) == nil)
    #expect(calls { _ = table.accept(id, state: "armed", at: at(.seconds(1))) } == ["send 1 +OK t state=armed"])
    #expect(table.incoming(id) == nil && table.session(of: id)?.id == SessionID(1))
    let request = table[SessionID(1)]?.request
    #expect(request?.received == at(.seconds(1)) && request?.options.maximumAge == 5)
    let updates = begin(.updates(UpdatesRequest(interval: 5)), in: &table)
    let accepted = table.accept(updates, state: "acquiring", at: at(.zero))
    if case .updates(let options)? = accepted?.kind {
      #expect(options.interval == 5)
    } else {
      Issue.record("no updates")
    }
    #expect(table[SessionID(1)]?.updates?.id == updates)
    #expect(calls { table.end(id, LineError(.expired, "too late")) } == ["send 1 -ERR 422 expired t :too late"])
    #expect(table[SessionID(1)]?.request == nil && table.session(of: id) == nil)
    #expect(calls { table.end(id, LineError(.expired, "too late")) } == [])
    #expect(calls { table.end(updates, nil) } == [] && table[SessionID(1)]?.updates == nil)
  }

  @Test func `a refused request is answered, and leaves nothing`() {
    var table = table()
    let id = begin(.once(OnceRequest()), in: &table)
    let error = LineError(.rateLimited, "wait")
    var app: AppID?
    #expect(
      calls { app = table.refuse(id, error, ["retry-after": "5"]) }
        == ["send 1 -ERR 430 rate-limited t retry-after=5 :wait"])
    #expect(app == a && table.incoming(id) == nil && table.session(of: id) == nil)
    #expect(calls { app = table.refuse(id, error, [:]) } == [] && app == nil)
  }

  @Test func `a question keeps the purpose with which it was asked, and a new one replaces it`() {
    var table = table()
    let parking = begin(.authorization(purpose: "parking"), in: &table)
    table.ask(parking)
    #expect(calls { table.answer(parking, ["state": "asked"]) } == ["send 1 +OK t state=asked"])
    #expect(table.session(of: parking)?.question?.purpose == "parking")
    let weather = begin(.authorization(purpose: "weather"), in: &table)
    table.ask(weather)
    #expect(table.session(of: parking) == nil)
    #expect(table.session(of: weather)?.question?.purpose == "weather")
  }

  @Test func `a fix that was sent counts as a message, and one for a broker does not`() {
    for isSent in [true, false] {
      var table = table()
      let id = begin(.once(OnceRequest()), in: &table)
      _ = table.accept(id, state: "armed", at: at(.zero))
      table.fulfil(id, isSent: isSent)
      #expect(table[SessionID(1)]?.lastMessageID == (isSent ? 1 : 0))
      #expect(table[SessionID(1)]?.request == nil && table.session(of: id) == nil)
    }
  }

  // MARK: Clients that are away

  @Test func `a client that is back gets a new token, and the endings and the newest states that it missed`() throws {
    var table = table()
    let session = SessionID(1)
    try table[session]?.subscriptions.add(TopicFilter("#"), sid: "s", qos: 0)
    let id = begin(.once(OnceRequest()), in: &table)
    _ = table.accept(id, state: "armed", at: at(.zero))
    let token = table[session]?.token
    table.detach(session)
    #expect(table.session(on: first) == nil && table[session]?.connection == nil)
    let missed = calls {
      table.end(id, LineError(.noPress, "no press"))
      for state in ["absent", "ready"] { table.showReceiver(#"{"state":"\#(state)"}"#) }
      // A message that is not a state is lost.
      table.notifyAll(.buttonPress, "{}")
    }
    #expect(missed == [])
    let second = record.connection(2)
    table.attach(session, to: second, .key(3))
    #expect(table.session(on: second)?.id == session && table[session]?.proof == .key(3))
    #expect(table[session]?.token != token)
    #expect(
      calls { table[session]?.sendMissed() }
        == ["send 2 -ERR 420 no-press t :no press", #"send 2 MSG receiver s {"state":"ready"}"#])
    #expect(calls { table[session]?.sendMissed() } == [])
  }

  // MARK: Notifications

  /// A table with a session of `a` and a session of `b`. Both have subscribed to a topic.
  private func two(_ filter: String) throws -> SessionTable {
    var table = table()
    let other = table.open(b, record.connection(2), .transport, indication: "off", at: at(.zero))
    for session in [SessionID(1), other] {
      try table[session]?.subscriptions.add(TopicFilter(filter), sid: "s", qos: 0)
    }
    return table
  }

  @Test func `the receiver's state is sent when it changes, to sessions that subscribed`() throws {
    var table = try two("receiver")
    try table[SessionID(2)]?.subscriptions.remove(sid: "s", after: nil)
    #expect(calls { table.showReceiver("{}") } == ["send 1 MSG receiver s {}"])
    #expect(calls { table.showReceiver("{}") } == [])
  }

  @Test func `an app's indication is sent to its sessions only if it differs from the one they received`() throws {
    let table = try two("indicator")
    #expect(calls { table.show("in-use", to: a) } == [#"send 1 MSG indicator s {"state":"in-use"}"#])
    #expect(calls { table.show("in-use", to: a) } == [] && calls { table.show("off", to: b) } == [])
    // The client has just received the state with its subscription.
    table[SessionID(2)]?.indication = "acquiring"
    #expect(calls { table.show("acquiring", to: b) } == [])
    #expect(calls { table.show("locked", to: b) } == [#"send 2 MSG indicator s {"state":"locked"}"#])
  }

  @Test func `the kill switch may change the indication of all apps`() throws {
    var table = try two("#")
    #expect(table.appsToNotify([a], isLocked: false) == [a])
    #expect(table.appsToNotify([], isLocked: true) == [a, b])
    #expect(table.appsToNotify([], isLocked: true) == [])
    #expect(table.appsToNotify([], isLocked: false) == [a, b])
  }

  // MARK: Any sequence

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `after any sequence sessions are found by connection, by app and by request`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = SessionTable()
    var connections: [SessionID: RecordingConnection] = [:]
    var formerConnections: [RecordingConnection] = []
    var owners: [RequestID: SessionID] = [:]
    var ended: [RequestID] = []
    var apps: [SessionID: AppID] = [:]
    var connectionNumber: UInt64 = 0

    func connection() -> RecordingConnection {
      connectionNumber += 1
      return RecordingConnection(connectionNumber)
    }
    func forget(_ request: RequestID?) {
      guard let request, owners.removeValue(forKey: request) != nil else { return }
      ended.append(request)
    }

    for _ in 0..<150 {
      let known = apps.keys.sorted()
      let session = known.randomElement(using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        let client = connection()
        let app = [a, b].randomElement(using: &random) ?? a
        let id = table.open(app, client, .transport, indication: "off", at: at(.zero))
        (apps[id], connections[id]) = (app, client)
      case 2:
        guard let session else { continue }
        if let former = connections[session] { formerConnections.append(former) }
        let client = connection()
        connections[session] = client
        table.attach(session, to: client, .transport)
      case 3:
        guard let session else { continue }
        if let former = connections.removeValue(forKey: session) { formerConnections.append(former) }
        table.detach(session)
      case 4:
        guard let session else { continue }
        if let former = connections.removeValue(forKey: session) { formerConnections.append(former) }
        let app = apps.removeValue(forKey: session)
        for request in owners.filter({ $0.value == session }).keys { forget(request) }
        #expect(table.remove(session) == app)
        #expect(table.remove(session) == nil)
      case 5, 6, 7:
        guard let session, let client = connections[session] else { continue }
        let kinds: [IncomingRequest.Kind] = [
          .once(OnceRequest()), .updates(UpdatesRequest()), .authorization(purpose: nil),
        ]
        guard let kind = kinds.randomElement(using: &random) else { continue }
        let state = table[session]
        switch kind {
        case .once where state?.request != nil: continue
        case .updates where state?.updates != nil: continue
        default: break
        }
        let formerQuestion = state?.question?.id
        let id = table.begin(IncomingRequest(session: session, kind: kind, tag: nil, connection: client))
        if Int.random(in: 0..<4, using: &random) == 0 {
          _ = table.refuse(id, LineError(.denied, "no"), [:])
          ended.append(id)
        } else if case .authorization = kind {
          table.ask(id)
          table.answer(id, [:])
          forget(formerQuestion)
          owners[id] = session
        } else {
          _ = table.accept(id, state: "armed", at: at(.zero))
          owners[id] = session
        }
        #expect(table.incoming(id) == nil)
      default:
        guard let request = owners.keys.sorted().randomElement(using: &random), let session = owners[request] else {
          continue
        }
        if table[session]?.request?.id == request, Bool.random(using: &random) {
          table.fulfil(request, isSent: true)
        } else {
          table.end(request, LineError(.expired, "late"))
        }
        forget(request)
      }

      #expect(table.count == apps.count)
      #expect(table.sorted.map(\.id) == apps.keys.sorted())
      #expect(Set(table.apps) == Set(apps.values))
      #expect(table.sorted.count { $0.connection != nil } == connections.count)
      for app in [a, b] {
        let expected = apps.filter { $0.value == app }.keys.sorted()
        #expect(table.of(app).map(\.id) == expected)
        #expect(table.count(of: app) == expected.count)
      }
      for id in apps.keys {
        #expect(table[id]?.app == apps[id])
        #expect(table[id]?.connection === connections[id])
        if let client = connections[id] { #expect(table.session(on: client)?.id == id) }
      }
      for former in formerConnections { #expect(table.session(on: former) == nil) }
      for (request, session) in owners {
        let found = table.session(of: request)
        #expect(found?.id == session)
        let known = [found?.request?.id, found?.updates?.id, found?.question?.id]
        #expect(known.contains(request))
      }
      for request in ended { #expect(table.session(of: request) == nil) }
    }
  }
}
