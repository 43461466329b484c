import Base
import SimulatedUBlox
import Testing
@testable import Decoding

private let settings = ReceiverSettings(port: .uart1, period: 200, messages: [.gst: 1])
private let question = UBXFrame.encode(.monVER)

/// Exchanges the messages of the setup and of a receiver, until neither sends a message.
private func converse(
  _ setup: inout ReceiverSetup, _ receiver: inout ConfiguredReceiver, _ bytes: [UInt8], at now: MonotonicInstant
) {
  var outgoing = bytes
  while !outgoing.isEmpty {
    let answers = receiver.read(outgoing)
    outgoing = []
    for (identifier, payload) in answers {
      outgoing += setup.receive(bytes: UBXFrame.encode(identifier, payload), at: now)
    }
  }
}

/// A receiver that was configured once.
private func configured(_ receiver: inout ConfiguredReceiver) throws -> ReceiverSetup {
  var setup = ReceiverSetup(settings)
  converse(&setup, &receiver, setup.open(isSpeedKnown: true, at: at(0)), at: at(0))
  let report = try #require(setup.report)
  #expect(setup.drainNotices().map(\.severity) == [.notice])
  #expect(report.notApplied.isEmpty && report.applied == [.protocols, .message(.gst), .period])
  #expect(setup.drainNotices() == [])
  return setup
}

@Test func `a receiver is configured once, and then no answer is awaited`() throws {
  var receiver = ConfiguredReceiver.m8
  var setup = try configured(&receiver)
  #expect(receiver.period == 200)
  #expect(setup.nextDeadline == nil && !setup.isRunning)
  #expect(setup.pass(to: at(100_000)).isEmpty)
  #expect(setup.receiveBytes(at: at(100_000)).isEmpty)
  #expect(setup.receive(.frame(.ack, [6, 1]), at: at(100_000)).isEmpty)
}

@Test func `nothing is sent before the receiver's speed is known`() {
  var setup = ReceiverSetup(settings)
  #expect(setup.open(isSpeedKnown: false, at: at(0)).isEmpty)
  #expect(setup.nextDeadline == nil)
  #expect(setup.receive(.started, at: at(10)).isEmpty)
  #expect(setup.receiveBytes(at: at(20)) == question)
  #expect(setup.receiveBytes(at: at(30)).isEmpty)
  #expect(setup.nextDeadline == at(1020))
}

@Test func `a receiver that restarts, was unplugged, or sends data after a silence is configured again`() throws {
  for (index, event) in ["restart", "plug", "silence"].enumerated() {
    var receiver = ConfiguredReceiver.m8
    var setup = try configured(&receiver)
    receiver.restart()
    #expect(receiver.period == 1000)
    let now = at(1000 * (index + 1))
    let bytes: [UInt8]
    switch event {
    case "restart": bytes = setup.receive(.started, at: now)
    case "plug":
      setup.lose()
      #expect(setup.receive(.started, at: now).isEmpty)
      #expect(setup.pass(to: now).isEmpty)
      bytes = setup.open(isSpeedKnown: true, at: now)
    default:
      setup.fallSilent()
      #expect(setup.nextDeadline == nil)
      bytes = setup.receiveBytes(at: now)
    }
    #expect(bytes == question)
    converse(&setup, &receiver, bytes, at: now)
    #expect(receiver.period == 200)
    #expect(!setup.drainNotices().isEmpty)
  }
}

@Test func `a receiver that restarts while it is being configured is configured again, a limited number of times`()
  throws
{
  var receiver = ConfiguredReceiver.m8
  var setup = ReceiverSetup(settings)
  var bytes = setup.open(isSpeedKnown: true, at: at(0))
  for run in 1...ReceiverSetup.mostRuns {
    #expect(bytes == question)
    #expect(setup.receive(.started, at: at(run)).isEmpty)
    // The setup runs to its end. The last answer begins the next run.
    while setup.isRunning {
      var next: [UInt8] = []
      for (identifier, payload) in receiver.read(bytes) {
        next += setup.receive(bytes: UBXFrame.encode(identifier, payload), at: at(run))
      }
      bytes = next
      if bytes == question { break }
    }
  }
  #expect(bytes.isEmpty)
  #expect(setup.drainNotices().contains { $0.isRestless })
  #expect(setup.nextDeadline == nil)
  // Later the setup tries again.
  #expect(setup.receive(.started, at: at(50_000)).isEmpty)
  #expect(setup.receive(.started, at: at(61_000)) == question)
}

@Test func `a receiver that restarts again and again is reported once a minute`() throws {
  var receiver = ConfiguredReceiver.m8
  var setup = try configured(&receiver)
  var reported: [Int] = []
  for second in 1...200 {
    receiver.restart()
    let now = at(1000 * second)
    converse(&setup, &receiver, setup.receive(.started, at: now), at: now)
    if setup.drainNotices().contains(where: \.isRestless) { reported.append(second) }
  }
  #expect(reported == [3, 63, 123, 183])
}

@Test func `a receiver that never answers is asked three times, and again when it sends its first data`() throws {
  var setup = ReceiverSetup(settings)
  var bytes = setup.open(isSpeedKnown: true, at: at(0))
  var asked = 0
  while setup.isRunning {
    if bytes.starts(with: question) { asked += 1 }
    bytes = setup.pass(to: try #require(setup.nextDeadline))
  }
  #expect(asked == 3)
  let report = try #require(setup.report)
  #expect(setup.drainNotices().map(\.severity) == [.notice])
  #expect(report.version == nil && report.applied.isEmpty)
  #expect(setup.nextDeadline == nil)
  #expect(setup.receiveBytes(at: at(9000)) == question)
  while setup.isRunning { _ = setup.pass(to: try #require(setup.nextDeadline)) }
  // A receiver that sends data and answers no command is not configured again.
  #expect(setup.receiveBytes(at: at(20_000)).isEmpty)
}

extension ReceiverNotice {
  fileprivate var isRestless: Bool { text.contains("again and again") }
}
