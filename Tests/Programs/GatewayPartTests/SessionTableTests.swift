import Authorization
import Clocks
import LineProtocol
import Ports
import RecordingClients
import SeededNumbers
import Testing

@testable import Gateway

@Suite struct SessionTableTests {
  private let first = RecordingConnection(1)

  /// A table with a session of `a` on connection 1.
  private func table() -> SessionTable {
    var table = SessionTable()
    _ = table.handle(.open(SessionID(1), a, first, .transport, indication: "off"), at: at(.zero))
    return table
  }

  private func begin(
    _ kind: IncomingRequest.Kind, _ request: UInt64, in table: inout SessionTable, tag: String? = "t"
  ) {
    let incoming = IncomingRequest(session: SessionID(1), kind: kind, tag: tag, connection: first)
    _ = table.handle(.begin(RequestID(request), incoming), at: at(.zero))
  }

  // MARK: Requests

  @Test func `a one-time request is answered, and has its session until it ends`() {
    var table = table()
    begin(.once(OnceRequest(maximumAge: 5)), 7, in: &table)
    #expect(table.incoming(RequestID(7)) != nil && table.session(of: RequestID(7)) == nil)
    #expect(
      table.handle(.accept(RequestID(7), state: "armed"), at: at(.seconds(1))).lines
        == ["send 1 +OK t state=armed", "log info: accepted"])
    #expect(table.incoming(RequestID(7)) == nil && table.session(of: RequestID(7))?.id == SessionID(1))
    let request = table[SessionID(1)]?.request
    #expect(request?.received == at(.seconds(1)) && request?.options.maximumAge == 5)
    #expect(
      table.handle(.end(RequestID(7), LineError(.expired, "too late")), at: at(.seconds(2))).lines
        == ["send 1 -ERR 422 expired t :too late"])
    #expect(table[SessionID(1)]?.request == nil && table.session(of: RequestID(7)) == nil)
    #expect(table.handle(.end(RequestID(7), LineError(.expired, "too late")), at: at(.seconds(2))).lines == [])
  }

  @Test func `updates are accepted with their options, and end under their tag`() {
    var table = table()
    begin(.updates(UpdatesRequest(interval: 5)), 7, in: &table)
    #expect(
      table.handle(.accept(RequestID(7), state: "acquiring"), at: at(.zero)).lines
        == ["accepted 7 1", "send 1 +OK t state=acquiring", "log info: accepted"])
    #expect(table[SessionID(1)]?.updates?.id == RequestID(7))
    #expect(table.handle(.end(RequestID(7), nil), at: at(.zero)).lines == [])
    #expect(table[SessionID(1)]?.updates == nil)
  }

  @Test func `a refused request is answered and counted, and leaves nothing`() {
    var table = table()
    begin(.once(OnceRequest()), 7, in: &table)
    #expect(
      table.handle(.refuse(RequestID(7), LineError(.rateLimited, "wait"), ["retry-after": "5"]), at: at(.zero)).lines
        == ["refused rate-limited a", "send 1 -ERR 430 rate-limited t retry-after=5 :wait"])
    #expect(table.incoming(RequestID(7)) == nil && table.session(of: RequestID(7)) == nil)
    #expect(table.handle(.refuse(RequestID(7), LineError(.rateLimited, "wait"), [:]), at: at(.zero)).lines == [])
  }

  @Test func `a question keeps the purpose with which it was asked, and a new one replaces it`() {
    var table = table()
    begin(.authorization(purpose: "parking"), 7, in: &table)
    _ = table.handle(.ask(RequestID(7)), at: at(.zero))
    #expect(
      table.handle(.answer(RequestID(7), ["state": "asked"]), at: at(.zero)).lines == ["send 1 +OK t state=asked"])
    #expect(table.session(of: RequestID(7))?.question?.purpose == "parking")
    begin(.authorization(purpose: "weather"), 8, in: &table)
    _ = table.handle(.ask(RequestID(8)), at: at(.zero))
    #expect(table.session(of: RequestID(7)) == nil)
    #expect(table.session(of: RequestID(8))?.question?.purpose == "weather")
  }

  @Test func `a fix that was sent counts as a message, and one for a broker does not`() {
    for isSent in [true, false] {
      var table = table()
      begin(.once(OnceRequest()), 7, in: &table)
      _ = table.handle(.accept(RequestID(7), state: "armed"), at: at(.zero))
      _ = table.handle(.fulfil(RequestID(7), isSent: isSent), at: at(.zero))
      #expect(table[SessionID(1)]?.lastMessageID == (isSent ? 1 : 0))
      #expect(table[SessionID(1)]?.request == nil && table.session(of: RequestID(7)) == nil)
    }
  }

  // MARK: Clients that are away

  @Test func `a client that is back gets a new token, and the endings and the newest states that it missed`() throws {
    var table = table()
    try table.subscribe(SessionID(1), TopicFilter("#"), sid: "s", qos: 0)
    begin(.once(OnceRequest()), 7, in: &table)
    _ = table.handle(.accept(RequestID(7), state: "armed"), at: at(.zero))
    let token = table[SessionID(1)]?.token
    _ = table.handle(.detach(SessionID(1)), at: at(.zero))
    #expect(table.session(on: first) == nil && table[SessionID(1)]?.connection == nil)
    #expect(table.handle(.end(RequestID(7), LineError(.noPress, "no press")), at: at(.zero)).lines == [])
    for state in ["absent", "ready"] {
      #expect(table.handle(.receiver(#"{"state":"\#(state)"}"#), at: at(.zero)).lines == [])
    }
    // A message that is not a state is lost.
    #expect(table.handle(.notify(.buttonPress, "{}", .all), at: at(.zero)).lines == [])
    let second = RecordingConnection(2)
    _ = table.handle(.attach(SessionID(1), second, .key(3)), at: at(.zero))
    #expect(table.session(on: second)?.id == SessionID(1) && table[SessionID(1)]?.proof == .key(3))
    #expect(table[SessionID(1)]?.token != token)
    #expect(
      table.handle(.sendMissed(SessionID(1)), at: at(.zero)).lines
        == ["send 2 -ERR 420 no-press t :no press", #"send 2 MSG receiver s {"state":"ready"}"#])
    #expect(table.handle(.sendMissed(SessionID(1)), at: at(.zero)).lines == [])
  }

  @Test func `a session that is attached to another connection leaves the former one`() {
    var table = table()
    let second = RecordingConnection(2)
    _ = table.handle(.attach(SessionID(1), second, .transport), at: at(.zero))
    #expect(table.session(on: first) == nil && table.session(on: second)?.id == SessionID(1))
  }

  // MARK: Notifications

  @Test func `the receiver's state is sent when it changes, to sessions that subscribed`() throws {
    var table = table()
    _ = table.handle(.open(SessionID(2), b, RecordingConnection(2), .transport, indication: "off"), at: at(.zero))
    try table.subscribe(SessionID(1), TopicFilter("receiver"), sid: "s", qos: 0)
    #expect(table.handle(.receiver("{}"), at: at(.zero)).lines == ["send 1 MSG receiver s {}"])
    #expect(table.handle(.receiver("{}"), at: at(.zero)).lines == [])
  }

  @Test func `an app's indication is sent to its sessions only if it differs from the one they received`() throws {
    var table = table()
    _ = table.handle(.open(SessionID(2), b, RecordingConnection(2), .transport, indication: "off"), at: at(.zero))
    for session in [1, 2] as [UInt64] {
      try table.subscribe(SessionID(session), TopicFilter("indicator"), sid: "s", qos: 0)
    }
    #expect(
      table.handle(.indications([(a, "in-use"), (b, "off")]), at: at(.zero)).lines == [
        #"send 1 MSG indicator s {"state":"in-use"}"#
      ])
    #expect(table.handle(.indications([(a, "in-use")]), at: at(.zero)).lines == [])
    // The client has just received the state with its subscription.
    _ = table.handle(.indicationSent(SessionID(2), "acquiring"), at: at(.zero))
    #expect(table.handle(.indications([(b, "acquiring")]), at: at(.zero)).lines == [])
    #expect(
      table.handle(.indications([(a, "locked"), (b, "locked")]), at: at(.zero)).lines == [
        #"send 1 MSG indicator s {"state":"locked"}"#, #"send 2 MSG indicator s {"state":"locked"}"#,
      ])
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
    var (sessionNumber, requestNumber, connectionNumber): (UInt64, UInt64, UInt64) = (0, 0, 0)

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
        sessionNumber += 1
        let id = SessionID(sessionNumber)
        let client = connection()
        let app = [a, b].randomElement(using: &random) ?? a
        (apps[id], connections[id]) = (app, client)
        _ = table.handle(.open(id, app, client, .transport, indication: "off"), at: at(.zero))
      case 2:
        guard let session else { continue }
        if let former = connections[session] { formerConnections.append(former) }
        let client = connection()
        connections[session] = client
        _ = table.handle(.attach(session, client, .transport), at: at(.zero))
      case 3:
        guard let session else { continue }
        if let former = connections.removeValue(forKey: session) { formerConnections.append(former) }
        _ = table.handle(.detach(session), at: at(.zero))
      case 4:
        guard let session else { continue }
        if let former = connections.removeValue(forKey: session) { formerConnections.append(former) }
        apps[session] = nil
        for request in owners.filter({ $0.value == session }).keys { forget(request) }
        let lines = table.handle(.remove(session), at: at(.zero)).lines
        #expect(lines.count == 1 && lines[0].hasPrefix("ended \(session.number) "))
        #expect(table.handle(.remove(session), at: at(.zero)).lines == [])
      case 5, 6, 7:
        guard let session, let client = connections[session] else { continue }
        requestNumber += 1
        let id = RequestID(requestNumber)
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
        _ = table.handle(
          .begin(id, IncomingRequest(session: session, kind: kind, tag: nil, connection: client)), at: at(.zero))
        if Int.random(in: 0..<4, using: &random) == 0 {
          _ = table.handle(.refuse(id, LineError(.denied, "no"), [:]), at: at(.zero))
          ended.append(id)
        } else if case .authorization = kind {
          _ = table.handle(.ask(id), at: at(.zero))
          _ = table.handle(.answer(id, [:]), at: at(.zero))
          forget(state?.question?.id)
          owners[id] = session
        } else {
          _ = table.handle(.accept(id, state: "armed"), at: at(.zero))
          owners[id] = session
        }
        #expect(table.incoming(id) == nil)
      default:
        guard let request = owners.keys.sorted().randomElement(using: &random), let session = owners[request] else {
          continue
        }
        if table[session]?.request?.id == request, Bool.random(using: &random) {
          _ = table.handle(.fulfil(request, isSent: true), at: at(.zero))
        } else {
          _ = table.handle(.end(request, LineError(.expired, "late")), at: at(.zero))
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
