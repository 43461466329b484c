import Authorization
import Base
import LineProtocol
import Ports
import RecordingClients
import StateStore
import Testing

@testable import Disclosure

/// The steps of every disclosure: the right, the data, the indicator, the durable entry of the log, the bytes.
@Suite struct StepTests {
  // MARK: The order

  @Test func `a one-time fix is shown, then logged, then sent`() throws {
    var scene = try Scene()
    #expect(scene.failure(of: try scene.request(.once)) == nil)
    let steps = scene.steps
    #expect(
      Array(steps.prefix(3)) == [
        .use(a, until: indicationEnd), .savePending(except: a), .open(scene.entry(), isSealing: false),
      ])
    let message = try #require(scene.lastMessage)
    #expect(scene.ends == [indicationEnd])
    #expect((steps.count, message.topic, message.sid, message.id) == (4, "fix/once", "s", 5))
    #expect(message.json.contains(#""lat":48.1374"#) && message.json.contains(#""age_ms":500"#))
  }

  @Test func `a one-time fix for a broker is shown, then kept in the outbox, and not sent`() throws {
    var scene = try Scene(transport: .mqtt)
    let (fix, expires, end) = try #require(scene.disclose(try scene.request(.once)).stored)
    #expect(expires == release + scene.broker.form.expires && end == indicationEnd)
    #expect((fix.app, fix.sink, fix.right, fix.accuracy) == (a, scene.broker.form.name, .always, .full))
    #expect(
      scene.steps == [
        .use(a, until: indicationEnd), .savePending(except: a),
        .keep(scene.entry(transport: "mqtt"), isSealing: false),
      ])
  }

  @Test(arguments: [(true, "fix/t"), (false, "fix/standing/t")])
  func `the message to a broker says whether a press permitted the fix`(isByPress: Bool, topic: String) throws {
    var scene = try Scene(isByPress: isByPress, transport: .mqtt)
    let stored = try #require(scene.disclose(try scene.request(.once)).stored)
    let messages = [Publication.Message](encoded: try scene.log.content(of: stored.fix))
    #expect(messages?.map(\.topic) == [topic])
  }

  @Test func `a fix that is sent again is shown, then sent, and has its entry already`() throws {
    var scene = try Scene()
    #expect(scene.failure(of: try scene.request(.redelivery)) == nil)
    let message = ServerLine.Message(topic: "fix/once", sid: "s", id: 5, json: #"{"lat":1}"#)
    #expect(
      scene.steps == [
        .use(a, until: indicationEnd), .savePending(except: nil), .client(.once(message, until: indicationEnd)),
      ])
  }

  @Test func `updates look at the light, then open an interval of the log, then are sent`() throws {
    var scene = try Scene()
    #expect(scene.failure(of: try scene.request(.update)) == nil)
    #expect(
      Array(scene.steps.prefix(3)) == [
        .stateOfUpdates, .savePending(except: nil), .openInterval(scene.entry(), isSealing: false),
      ])
    #expect(scene.steps.count == 4 && scene.sent.hasPrefix(#"MSG fix/updates - {"#))
  }

  @Test func `a publication is shown as long as its grant was, then read, then published`() throws {
    var scene = try Scene()
    #expect(scene.failure(of: try scene.request(.publication)) == nil)
    let end = start.monotonic + .seconds(1)
    let publication = Publication(
      number: scene.waiting.number, messages: [.init(topic: "fix", payload: [1, 2])], life: .seconds(3600))
    #expect(
      scene.steps == [
        .use(a, until: end), .savePending(except: nil), .content(scene.waiting.number),
        .broker(.publish(publication, until: end)),
      ])
  }

  @Test func `a crossing is shown, then logged, then sent, and its entry is returned for the outcome`() throws {
    var scene = try Scene()
    #expect(scene.disclose(try scene.request(.crossing)).reported == 1)
    let message = ServerLine.Message(topic: "region/home", sid: "r", json: #"{"event":"enter"}"#)
    #expect(
      scene.steps == [
        .use(a, until: indicationEnd), .savePending(except: nil), .open(scene.entry(), isSealing: false),
        .client(.once(message, until: indicationEnd)),
      ])
  }

  @Test func `a crossing for a broker is reported to the broker`() throws {
    var scene = try Scene(transport: .mqtt)
    #expect(scene.failure(of: try scene.request(.crossing)) == nil)
    let crossing = RegionCrossing(region: "home", text: "Home", radius: 500, isEntry: true, time: start.utc)
    #expect(scene.steps.filter(\.isBytes) == [.broker(.report(crossing, until: indicationEnd))])
  }

  @Test func `a fix is sent no later than it expires, although the light is longer`() throws {
    var resent = try Scene()
    let end = try #require(resent.grant).expires
    let now = ClockReading(monotonic: end - .milliseconds(500), utc: start.utc)
    #expect(resent.failure(of: try resent.request(.redelivery), at: now) == nil)
    #expect(resent.ends == [end])
    var published = try Scene()
    var publication = published.publication(indicationEnd: indicationEnd)
    publication.expires = start.monotonic + .milliseconds(500)
    #expect(published.failure(of: .publication(publication)) == nil)
    #expect(published.ends == [publication.expires])
  }

  // MARK: The data comes before the indicator

  @Test(arguments: [Kind.once, .update])
  func `without a fix nothing is shown, logged or sent`(kind: Kind) throws {
    var scene = try Scene()
    scene.fix = nil
    #expect(scene.failure(of: try scene.request(kind)) == .pending)
    #expect(scene.steps == [])
  }

  @Test func `without a cloak an approximate fix is refused before anything is shown`() throws {
    var scene = try Scene(.always, .reduced, hasCloak: false)
    #expect(scene.failure(of: try scene.request(.once)) == .cloak("there is no key"))
    #expect(scene.failure(of: try scene.request(.update)) == .cloak("there is no key"))
    #expect(scene.steps == [])
  }

  @Test(arguments: Kind.allCases)
  func `a client that does not read waits, except for updates, whose oldest it loses, and brokers`(kind: Kind) throws {
    var scene = try Scene()
    scene.connection.isFull = true
    let failure = scene.failure(of: try scene.request(kind))
    switch kind {
    case .once, .redelivery, .crossing:
      #expect(failure == .pending)
      #expect(scene.steps == [])
    case .update, .publication: #expect(failure == nil)
    }
  }

  // MARK: The indicator

  @Test(arguments: Kind.allCases, [true, false])
  func `while the light is unseen or dark nothing is logged or sent, and in the dark the use of the light ends`(
    kind: Kind, isDark: Bool
  ) throws {
    var scene = try Scene()
    scene.indicator.state = isDark ? .dark("check the LED") : .unseen
    #expect(scene.failure(of: try scene.request(kind)) == (isDark ? .indicator("check the LED") : .pending))
    // Updates have no use of their own: their indication follows from the authorization.
    let end = kind == .publication ? start.monotonic + .seconds(1) : indicationEnd
    let use: Step = kind == .update ? .stateOfUpdates : .use(a, until: end)
    let expected: [Step] = isDark && kind != .update ? [use, .endUse(a)] : [use]
    #expect(scene.steps == expected)
  }

  @Test func `a standing request needs a legible label, and a press does not`() throws {
    var standing = try Scene(isByPress: false)
    standing.indicator.labelRemedy = "shorten the label"
    #expect(standing.failure(of: try standing.request(.once)) == .indicator("shorten the label"))
    #expect(standing.steps == [])
    var pressed = try Scene()
    pressed.indicator.labelRemedy = "shorten the label"
    #expect(pressed.failure(of: try pressed.request(.once)) == nil)
  }

  // MARK: The log

  /// The writes and readings of a kind that can fail.
  static let failures: [(Kind, FakeLog.Write)] = [
    (.once, .pending), (.once, .entry), (.redelivery, .pending), (.update, .pending), (.update, .entry),
    (.publication, .pending), (.publication, .content), (.crossing, .pending), (.crossing, .entry),
  ]

  @Test(arguments: failures)
  func `a log that fails lets no byte out, and the use of the light ends`(kind: Kind, write: FakeLog.Write) throws {
    var scene = try Scene()
    scene.log.failing = [write]
    #expect(scene.failure(of: try scene.request(kind)) == .store(scene.log.failure.description))
    #expect(!scene.hasBytes)
    if write == .pending { #expect(!scene.hasWrites) }
    if kind != .update { #expect(scene.steps.last == .endUse(a)) }
  }

  @Test(arguments: [FakeLog.Write.pending, .entry])
  func `a log that fails keeps a broker's fix out of the outbox`(write: FakeLog.Write) throws {
    var scene = try Scene(transport: .mqtt)
    scene.log.failing = [write]
    #expect(scene.failure(of: try scene.request(.once)) == .store(scene.log.failure.description))
    #expect(try scene.log.outbox.store.waitingFixes().map(\.number) == [scene.waiting.number])
  }

  @Test func `a fix that cannot be encrypted for its recipient is no fault of the log`() throws {
    var scene = try Scene()
    var once = try scene.once()
    once.connection = RecordingConnection(2, transport: .mqtt, broker: RecordingBroker(UnencryptableForm()))
    #expect(scene.failure(of: .once(once)) == .encryption("the key is invalid"))
    #expect(!scene.hasBytes && scene.steps.last == .endUse(a))
  }

  @Test func `updates that fail do not end the light of the app's one-time fix`() throws {
    var scene = try Scene()
    #expect(scene.failure(of: try scene.request(.once)) == nil)
    #expect(scene.failure(of: .update(scene.update(mayOpen: false))) == .pending)
    #expect(!scene.steps.contains(.endUse(a)))
  }

  @Test func `sealed content that was changed on the disk is not published, and has no right any more`() throws {
    var scene = try Scene()
    scene.log.failing = [.content]
    scene.log.failure = StoreError(.sealBroken, "open", "fix 1", cause: "it was changed")
    #expect(scene.failure(of: try scene.request(.publication)) == .revoked)
    #expect(!scene.hasBytes)
  }
}

private struct UnencryptableForm: PublicationForm {
  struct Fault: Error, CustomStringConvertible { let description = "the key is invalid" }

  let name = "mqtt://broker.test"
  let address = "broker.test"
  let expires = Duration.seconds(60)
  let mostWaiting = 1

  func messages(_ fix: PublishedFix) throws -> [Publication.Message] { throw Fault() }
}
