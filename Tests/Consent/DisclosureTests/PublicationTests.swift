import Base
import Ports
import RecordingClients
import SeededNumbers
import StateStore
import Testing

@testable import Disclosure

/// Fixes of the broker outbox.
@Suite struct PublicationTests {
  /// The end of the light, whether the entry of the delay exists, and whether the fix is late.
  static let delays: [(end: MonotonicInstant?, isLogged: Bool, isLate: Bool)] = [
    (nil, false, true), (start.monotonic, false, true), (start.monotonic - .seconds(1), false, true),
    (nil, true, true), (start.monotonic + .seconds(1), false, false),
  ]

  @Test(arguments: delays)
  func `a fix that is published after its light has one entry of the delay first`(
    end: MonotonicInstant?, isLogged: Bool, isLate: Bool
  ) throws {
    var scene = try Scene()
    let result = scene.disclose(.publication(scene.publication(indicationEnd: end, isLate: isLogged)))
    guard case .success(.published(let fix, isLate: isLate)) = result else {
      Issue.record("\(scene.steps)")
      return
    }
    let isLogging = isLate && !isLogged
    #expect(fix.number == scene.waiting.number && (fix.disclosure > scene.waiting.disclosure) == isLogging)
    let until = isLate ? indicationEnd : start.monotonic + .seconds(1)
    #expect(
      scene.steps.dropLast() == [
        .use(a, until: until), .savePending(except: nil), .content(fix.number),
      ] + (isLogging ? [.postpone(fix.number)] : []))
    #expect(scene.ends == [until])
  }

  @Test(arguments: [FakeLog.Write.postponement, .content])
  func `a late fix that cannot be read, or whose delay cannot be logged, is not published`(write: FakeLog.Write) throws
  {
    var scene = try Scene()
    scene.log.failing = [write]
    #expect(
      scene.failure(of: .publication(scene.publication(indicationEnd: nil))) == .store(scene.log.failure.description))
    #expect(!scene.hasBytes && !scene.steps.contains(.postpone(scene.waiting.number)))
    #expect(scene.steps.last == .endUse(a))
  }

  @Test func `content that is no publication is not published`() throws {
    var scene = try Scene()
    var request = scene.publication()
    request.fix = try scene.log.outbox.add(a, expires: scene.waiting.expires, content: [0, 9, 9], at: start)
    #expect(scene.failure(of: .publication(request)) == .revoked)
    #expect(!scene.hasBytes)
  }

  // MARK: The stored form

  @Test func `messages are read back as they were written`() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<200 {
      let messages = (0..<Int.random(in: 1...4, using: &random)).map { index in
        Publication.Message(
          topic: String(repeating: "é/", count: Int.random(in: 0...40, using: &random)) + "\(index)",
          payload: (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      }
      #expect([Publication.Message](encoded: messages.encoded) == messages)
    }
  }

  @Test func `messages that are cut are none`() {
    let bytes = [Publication.Message(topic: "fix", payload: [1, 2, 3])].encoded
    for count in bytes.indices { #expect([Publication.Message](encoded: Array(bytes.prefix(count))) == nil) }
  }
}
