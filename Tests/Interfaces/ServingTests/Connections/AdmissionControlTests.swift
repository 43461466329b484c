import Base
import Ports
import SeededNumbers
import Synchronization
import Testing

@testable import Serving

private let start = MonotonicInstant(nanoseconds: 0)
private let house = Peer.Origin.subscriber([192, 0, 2, 1])
private let other = Peer.Origin.subscriber([192, 0, 2, 2])

/// Whether there are no pending connections. A held connection does not count.
private func isEmpty(_ pending: PendingConnections) -> Bool {
  var pending = pending
  return pending.makeRoom(at: MonotonicInstant(nanoseconds: .max), among: { _ in true }) == nil
}

@Test func `of one address eight connections may be unauthenticated, and the next closes the oldest`() {
  var pending = PendingConnections()
  for number in 1...8 { #expect(pending.add(UInt64(number), from: house, at: start) == nil) }
  #expect(pending.add(9, from: house, at: start) == 1)
  #expect(pending.add(10, from: other, at: start) == nil)
  // The closed connection has been removed already.
  pending.remove(1, from: house)
  #expect(pending.add(11, from: house, at: start) == 2)
  pending.remove(5, from: house)
  pending.remove(5, from: house)
  #expect(pending.add(12, from: house, at: start) == nil)
  #expect(pending.add(13, from: house, at: start) == 3)
}

@Test func `connections of one uid that come together may stay, for a second and up to a number`() {
  var pending = PendingConnections()
  let origin = Peer.Origin.uid(1000)
  for number in 1...20 { #expect(pending.add(UInt64(number), from: origin, at: start) == nil) }
  let later = start + PendingConnections.minimumAge
  #expect(pending.add(25, from: origin, at: later - .nanoseconds(1)) == nil)
  #expect(pending.add(21, from: origin, at: later) == 1)
  pending.remove(1, from: origin)
  #expect(pending.add(22, from: origin, at: later) == 2)
  for number in 3...20 { pending.remove(UInt64(number), from: origin) }
  #expect(pending.add(23, from: origin, at: later) == nil)
  #expect(pending.add(24, from: .uid(1001), at: later) == nil)
  for number in 1...64 as ClosedRange<UInt64> {
    #expect(pending.add(100 + number, from: .uid(1002), at: later) == nil)
  }
  #expect(pending.add(200, from: .uid(1002), at: later) == 101)
}

@Test func `a full listener closes the oldest connection of the origin that has most, once it is a second old`() {
  var pending = PendingConnections()
  _ = pending.add(1, from: other, at: start)
  for number in 2...4 { _ = pending.add(UInt64(number), from: house, at: start + .milliseconds(Int64(number))) }
  // Connection 2 belongs to another listener.
  let isMember = { @Sendable (number: UInt64) in number != 2 }
  #expect(pending.makeRoom(at: start + .seconds(1) - .nanoseconds(1), among: isMember) == nil)
  var exact = pending
  #expect(exact.makeRoom(at: start + .seconds(1), among: isMember) == 1)
  let closed = (0..<4).map { _ in pending.makeRoom(at: start + .seconds(2), among: isMember) }
  // When both origins have one connection, the older connection is closed.
  #expect(closed == [3, 1, 4, nil])
  pending.remove(2, from: house)
  #expect(isEmpty(pending))
}

@Test(arguments: [house, .uid(1000)])
func `a connection that waits for the answer to a wrong proof keeps its slot`(origin: Peer.Origin) {
  var pending = PendingConnections()
  for number in 1...8 as ClosedRange<UInt64> {
    _ = pending.add(number, from: origin, at: start)
    if number != 5 { pending.hold(number, from: origin) }
  }
  let later = start + PendingConnections.minimumAge
  #expect(pending.add(9, from: origin, at: later) == 5)
  pending.hold(9, from: origin)
  // Other connections cannot authenticate in this time, and a full listener does not close the waiting connection.
  #expect(pending.add(10, from: origin, at: later) == 10)
  #expect(pending.makeRoom(at: later + .seconds(9)) { _ in true } == nil)
  pending.remove(1, from: origin)
  #expect(pending.add(11, from: origin, at: later) == nil)
}

@Test(arguments: [house, .uid(1000)])
func `a connection whose app is no longer known uses only a free slot`(origin: Peer.Origin) {
  var pending = PendingConnections()
  for number in 1...8 { #expect(pending.add(UInt64(number), from: origin, at: start) == nil) }
  func hasRoom(for number: UInt64) -> Bool { pending.restore(number, from: origin, at: start + .seconds(3600)) }
  #expect(!hasRoom(for: 9))
  pending.remove(1, from: origin)
  #expect(hasRoom(for: 9) && !hasRoom(for: 10))
  for number in 2...9 { pending.remove(UInt64(number), from: origin) }
  #expect(isEmpty(pending))
}

@Test func `no record of a closed connection is kept, in any order`() {
  var pending = PendingConnections()
  var random = SplitMix64(seed: 1)
  var present: [(UInt64, Peer.Origin)] = []
  for number in 1...2000 as ClosedRange<UInt64> {
    let origin =
      Bool.random(using: &random)
      ? Peer.Origin.uid(.random(in: 0...3, using: &random)) : .subscriber([.random(in: 0...3, using: &random)])
    let former = pending.add(number, from: origin, at: start + .milliseconds(Int64(number) * 100))
    present.removeAll { $0.0 == former }
    present.append((number, origin))
    if Bool.random(using: &random), let index = present.indices.randomElement(using: &random) {
      pending.remove(present[index].0, from: present[index].1)
      present.remove(at: index)
    }
    for origin in Set(present.map(\.1)) {
      let count = present.count { $0.1 == origin }
      if case .subscriber = origin { #expect(count <= PendingConnections.most) }
    }
  }
  for (number, origin) in present { pending.remove(number, from: origin) }
  #expect(isEmpty(pending))
}

@Test
func `each failure of an address takes twice as long as the one before, up to 8 s, until 10 min without a failure`() {
  var failures = AuthenticationThrottle()
  let delays = (0..<8).map { failures.note(from: house, at: start + .seconds($0)) }
  #expect(delays == [0.5, 1, 2, 4, 8, 8, 8, 8].map { .seconds($0) })
  #expect(failures.note(from: other, at: start + .seconds(8)) == .milliseconds(500))
  let soon = start + .seconds(607) - .nanoseconds(1)
  #expect(failures.note(from: house, at: soon) == .seconds(8))
  #expect(failures.note(from: house, at: soon + .seconds(600)) == .milliseconds(500))
}

@Test func `any number of addresses needs no more memory than a thousand`() {
  var failures = AuthenticationThrottle()
  func origin(_ number: Int64) -> Peer.Origin { .subscriber([UInt8(number & 0xFF), UInt8(number >> 8)]) }
  let count: Int64 = 3000
  for number in 0..<count {
    let now = start + .milliseconds(number)
    _ = failures.note(from: origin(number), at: now)
    if number % 100 == 0 { _ = failures.note(from: house, at: now) }
  }
  let end = start + .seconds(4)
  // Of 1024 records, one belongs to the origin that continues to fail. The others belong to the latest other origins.
  let oldest = count - 1023
  for number in [0, count / 2, oldest - 1, oldest, count - 1] {
    var copy = failures
    let isRecorded = copy.note(from: origin(number), at: end) > .milliseconds(500)
    #expect(isRecorded == (number >= oldest), "\(number)")
  }
  #expect(failures.note(from: house, at: end) == .seconds(8))
}

/// An admission control, and the numbers of the connections that it has closed.
private final class Admission: Sendable {
  let control = AdmissionControl()
  private let numbers = Mutex<[UInt64]>([])

  var closed: [UInt64] { numbers.withLock { $0 } }

  func add(_ range: ClosedRange<UInt64>) {
    for number in range {
      control.add(number, from: house, at: start) { self.numbers.withLock { $0.append(number) } }
    }
  }
}

@Test func `admission control closes the connection that gives way, whatever listener it belongs to, and no other`() {
  let admission = Admission()
  admission.add(1...9)
  #expect(admission.closed == [1])
  admission.control.remove(2, from: house)
  admission.control.makeRoom(at: start + .seconds(1)) { $0 > 4 }
  admission.control.makeRoom(at: start + .seconds(1)) { $0 == 2 }
  #expect(admission.closed == [1, 5])
}

@Test func `a connection that waits for the reply to a wrong proof stays, and the next oldest is closed`() {
  let admission = Admission()
  admission.add(1...8)
  #expect(admission.control.noteFailure(of: 1, from: house, at: start) == .milliseconds(500))
  admission.add(9...9)
  #expect(admission.closed == [2])
}
