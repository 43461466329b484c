import Base
import Ports
import RecordingClients
import SeededNumbers
import StateStore
import Testing

@testable import Disclosure

/// Fixes of the broker outbox.
@Suite struct PublicationTests {
  @Test(arguments: [nil, start.monotonic, start.monotonic - .seconds(1)] as [MonotonicInstant?])
  func `a fix that is published after its light has an entry of the delay first`(end: MonotonicInstant?) throws {
    var scene = try Scene()
    let request = scene.publication(indicationEnd: end)
    guard case .success(.published(let fix, isLate: true)) = scene.disclose(.publication(request)) else {
      Issue.record("\(scene.steps)")
      return
    }
    #expect(fix.number == scene.waiting.number && fix.disclosure > scene.waiting.disclosure)
    #expect(
      Array(scene.steps.prefix(4)) == [
        .use(a, until: indicationEnd), .savePending(except: nil), .content(fix.number), .postpone(fix.number),
      ])
    guard case .broker(.publish(_, until: indicationEnd)) = scene.steps.last else {
      Issue.record("\(scene.steps)")
      return
    }
  }

  @Test func `a fix that is late already has no second entry of the delay`() throws {
    var scene = try Scene()
    guard
      case .success(.published(_, isLate: true)) = scene.disclose(
        .publication(scene.publication(indicationEnd: nil, isLate: true)))
    else {
      Issue.record("\(scene.steps)")
      return
    }
    #expect(!scene.steps.contains(.postpone(scene.waiting.number)))
  }

  @Test func `a fix in time has no entry of a delay`() throws {
    var scene = try Scene()
    guard case .success(.published(let fix, isLate: false)) = scene.disclose(.publication(scene.publication())) else {
      Issue.record("\(scene.steps)")
      return
    }
    #expect(fix == scene.waiting)
  }

  @Test func `a delay that cannot be logged lets no byte out`() throws {
    var scene = try Scene()
    scene.log.failing = [.postponement]
    #expect(
      scene.failure(of: .publication(scene.publication(indicationEnd: nil))) == .store(scene.log.failure.description))
    #expect(!scene.hasBytes)
    #expect(scene.steps.last == .endUse(a))
  }

  @Test func `content that is no publication is not published`() throws {
    var scene = try Scene()
    var request = scene.publication()
    request.fix = try scene.log.outbox.add(a, expires: scene.waiting.expires, content: [0, 9, 9], at: start)
    #expect(scene.failure(of: .publication(request)) == .revoked)
    #expect(!scene.hasBytes)
  }

  @Test func `a late fix whose content cannot be read has no entry of the delay`() throws {
    var scene = try Scene()
    scene.log.failing = [.content]
    #expect(
      scene.failure(of: .publication(scene.publication(indicationEnd: nil))) == .store(scene.log.failure.description))
    #expect(!scene.steps.contains(.postpone(scene.waiting.number)))
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
