import Clocks
import SimulatedUBlox
import Testing
import UBX

@testable import Gateway

private let settings = ReceiverSettings(port: .uart1, period: 200, messages: [.gst: 1])
private let question = UBXFrame.encode(.monVER)

private func at(_ milliseconds: Int) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)
}

/// Sends what is to be sent to a receiver, and its answers back, until it has nothing more to say.
private func converse(
  _ setup: inout ReceiverSetup, _ receiver: inout ConfiguredReceiver, _ bytes: [UInt8], at now: MonotonicInstant
) {
  var outgoing = bytes
  while !outgoing.isEmpty {
    let answers = receiver.read(outgoing)
    outgoing = []
    for (identifier, payload) in answers { outgoing += setup.receive(.frame(identifier, payload), at: now) }
  }
}

/// A receiver that was configured once.
private func configured(_ receiver: inout ConfiguredReceiver) throws -> ReceiverSetup {
  var setup = ReceiverSetup(settings)
  converse(&setup, &receiver, setup.opened(isSpeedKnown: true, at: at(0)), at: at(0))
  let news = setup.takeNews()
  guard case .finished(let report) = news else {
    Issue.record("there is no report, but \(String(describing: news))")
    throw CancellationError()
  }
  #expect(report.notApplied.isEmpty && report.applied == [.protocols, .message(.gst), .period])
  #expect(setup.takeNews() == nil)
  return setup
}

@Test func `a receiver is configured once, and then nothing is waited for`() throws {
  var receiver = ConfiguredReceiver.m8
  var setup = try configured(&receiver)
  #expect(receiver.period == 200)
  #expect(setup.nextDeadline == nil && !setup.isRunning)
  #expect(setup.timePassed(at: at(100_000)).isEmpty)
  #expect(setup.spoke(at: at(100_000)).isEmpty)
  #expect(setup.receive(.frame(.ack, [6, 1]), at: at(100_000)).isEmpty)
}

@Test func `as long as its speed is not known nothing is sent`() {
  var setup = ReceiverSetup(settings)
  #expect(setup.opened(isSpeedKnown: false, at: at(0)).isEmpty)
  #expect(setup.nextDeadline == nil)
  #expect(setup.receive(.started, at: at(10)).isEmpty)
  #expect(setup.spoke(at: at(20)) == question)
  #expect(setup.spoke(at: at(30)).isEmpty)
  #expect(setup.nextDeadline == at(1020))
}

@Test func `a receiver that restarts, was unplugged, or speaks after a silence is configured again`() throws {
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
      setup.lost()
      #expect(setup.receive(.started, at: now).isEmpty)
      #expect(setup.timePassed(at: now).isEmpty)
      bytes = setup.opened(isSpeedKnown: true, at: now)
    default:
      setup.fellSilent()
      #expect(setup.nextDeadline == nil)
      bytes = setup.spoke(at: now)
    }
    #expect(bytes == question)
    converse(&setup, &receiver, bytes, at: now)
    #expect(receiver.period == 200)
    #expect(setup.takeNews() != nil)
  }
}

@Test func `one that restarts while it is configured is configured anew after that, but not for ever`() throws {
  var receiver = ConfiguredReceiver.m8
  var setup = ReceiverSetup(settings)
  var bytes = setup.opened(isSpeedKnown: true, at: at(0))
  for run in 1...ReceiverSetup.mostRuns {
    #expect(bytes == question)
    #expect(setup.receive(.started, at: at(run)).isEmpty)
    // To the end: the last answer begins the next run.
    while setup.isRunning {
      var next: [UInt8] = []
      for (identifier, payload) in receiver.read(bytes) {
        next += setup.receive(.frame(identifier, payload), at: at(run))
      }
      bytes = next
      if bytes == question { break }
    }
  }
  #expect(bytes.isEmpty)
  #expect(setup.takeNews() == .restless)
  #expect(setup.nextDeadline == nil)
  // Later it is tried again.
  #expect(setup.receive(.started, at: at(50_000)).isEmpty)
  #expect(setup.receive(.started, at: at(61_000)) == question)
}

@Test func `one that restarts again and again is told of once a minute`() throws {
  var receiver = ConfiguredReceiver.m8
  var setup = try configured(&receiver)
  var told: [Int] = []
  for second in 1...200 {
    receiver.restart()
    let now = at(1000 * second)
    converse(&setup, &receiver, setup.receive(.started, at: now), at: now)
    if setup.takeNews() == .restless { told.append(second) }
  }
  #expect(told == [3, 63, 123, 183])
}

@Test func `one that never answers is asked three times, and again when it speaks for the first time`() throws {
  var setup = ReceiverSetup(settings)
  var bytes = setup.opened(isSpeedKnown: true, at: at(0))
  var asked = 0
  while setup.isRunning {
    if bytes == question { asked += 1 }
    bytes = setup.timePassed(at: try #require(setup.nextDeadline))
  }
  #expect(asked == 3)
  let news = setup.takeNews()
  guard case .finished(let report) = news else {
    Issue.record("there is no report, but \(String(describing: news))")
    throw CancellationError()
  }
  #expect(report.version == nil && report.applied.isEmpty)
  #expect(setup.nextDeadline == nil)
  #expect(setup.spoke(at: at(9000)) == question)
  while setup.isRunning { _ = setup.timePassed(at: try #require(setup.nextDeadline)) }
  // It speaks, and does not answer: it is left in peace.
  #expect(setup.spoke(at: at(20_000)).isEmpty)
}
