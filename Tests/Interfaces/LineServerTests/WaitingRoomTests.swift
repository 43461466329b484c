import Clocks
import SeededNumbers
import Synchronization
import Testing

@testable import LineServer

private let start = MonotonicInstant(nanoseconds: 0)
private let house = WaitingRoom.Origin.subscriber([192, 0, 2, 1])
private let other = WaitingRoom.Origin.subscriber([192, 0, 2, 2])

@Test func `of one address eight connections may be unauthenticated, and the next closes the oldest`() {
  var room = WaitingRoom()
  for number in 1...8 { #expect(room.enter(UInt64(number), from: house, at: start) == nil) }
  #expect(room.enter(9, from: house, at: start) == 1)
  #expect(room.enter(10, from: other, at: start) == nil)
  // The connection that was closed has left already.
  room.leave(1, from: house)
  #expect(room.enter(11, from: house, at: start) == 2)
  room.leave(5, from: house)
  room.leave(5, from: house)
  #expect(room.enter(12, from: house, at: start) == nil)
  #expect(room.enter(13, from: house, at: start) == 3)
}

@Test func `connections of one uid that come together may stay, for a second and up to a number`() {
  var room = WaitingRoom()
  let origin = WaitingRoom.Origin.uid(1000)
  for number in 1...20 { #expect(room.enter(UInt64(number), from: origin, at: start) == nil) }
  let later = start + WaitingRoom.patience
  #expect(room.enter(21, from: origin, at: later) == 1)
  room.leave(1, from: origin)
  #expect(room.enter(22, from: origin, at: later) == 2)
  for number in 3...20 { room.leave(UInt64(number), from: origin) }
  #expect(room.enter(23, from: origin, at: later) == nil)
  #expect(room.enter(24, from: .uid(1001), at: later) == nil)
  for number in 1...UInt64(WaitingRoom.mostAtOnce) {
    #expect(room.enter(100 + number, from: .uid(1002), at: later) == nil)
  }
  #expect(room.enter(200, from: .uid(1002), at: later) == 101)
}

@Test func `a full listener closes the oldest connection of the origin that has most, once it is a second old`() {
  var room = WaitingRoom()
  _ = room.enter(1, from: other, at: start)
  for number in 2...4 { _ = room.enter(UInt64(number), from: house, at: start + .milliseconds(Int64(number))) }
  // Connection 2 belongs to another listener.
  let isThere = { @Sendable (number: UInt64) in number != 2 }
  #expect(room.makeRoom(at: start + .milliseconds(999), among: isThere) == nil)
  #expect(room.makeRoom(at: start + .seconds(2), among: isThere) == 3)
  // One and one: the older.
  #expect(room.makeRoom(at: start + .seconds(2), among: isThere) == 1)
  #expect(room.makeRoom(at: start + .seconds(2), among: isThere) == 4)
  #expect(room.makeRoom(at: start + .seconds(2), among: isThere) == nil)
  room.leave(2, from: house)
  #expect(room.isEmpty)
}

@Test(arguments: [house, .uid(1000)])
func `a connection that waits for the answer to a wrong proof keeps its place`(origin: WaitingRoom.Origin) {
  var room = WaitingRoom()
  for number in 1...8 as ClosedRange<UInt64> {
    _ = room.enter(number, from: origin, at: start)
    if number != 5 { room.hold(number, from: origin) }
  }
  let later = start + WaitingRoom.patience
  #expect(room.enter(9, from: origin, at: later) == 5)
  room.hold(9, from: origin)
  // Nobody else may try meanwhile, and a full listener does not close it either.
  #expect(room.enter(10, from: origin, at: later) == 10)
  #expect(room.makeRoom(at: later + .seconds(9)) { _ in true } == nil)
  room.leave(1, from: origin)
  #expect(room.enter(11, from: origin, at: later) == nil)
}

@Test func `who was known and is not any more has a place where there is one, and takes nobody's`() {
  for origin in [house, .uid(1000)] {
    var room = WaitingRoom()
    for number in 1...8 { #expect(room.enter(UInt64(number), from: origin, at: start) == nil) }
    func hasRoom(for number: UInt64) -> Bool { room.comeBack(number, from: origin, at: start + .seconds(3600)) }
    #expect(hasRoom(for: 9) == false)
    room.leave(1, from: origin)
    #expect(hasRoom(for: 9))
    #expect(hasRoom(for: 10) == false)
    for number in 2...9 { room.leave(UInt64(number), from: origin) }
    #expect(room.isEmpty)
  }
}

@Test func `nothing is kept of those who have gone, in whatever order`() {
  var room = WaitingRoom()
  var random = SplitMix64(seed: 1)
  var present: [(UInt64, WaitingRoom.Origin)] = []
  for number in 1...2000 as ClosedRange<UInt64> {
    let origin =
      Bool.random(using: &random)
      ? WaitingRoom.Origin.uid(.random(in: 0...3, using: &random)) : .subscriber([.random(in: 0...3, using: &random)])
    let former = room.enter(number, from: origin, at: start + .milliseconds(Int64(number) * 100))
    present.removeAll { $0.0 == former }
    present.append((number, origin))
    if Bool.random(using: &random), let index = present.indices.randomElement(using: &random) {
      room.leave(present[index].0, from: present[index].1)
      present.remove(at: index)
    }
    for origin in Set(present.map(\.1)) {
      let count = present.count { $0.1 == origin }
      if case .subscriber = origin { #expect(count <= WaitingRoom.most) }
    }
  }
  for (number, origin) in present { room.leave(number, from: origin) }
  #expect(room.isEmpty)
}

@Test func `each failure of an address takes twice as long as the one before, up to 8 s, and others are not slower`() {
  var failures = FailedProofs()
  let delays = (0..<8).map { failures.note(from: house, at: start + .seconds($0)) }
  #expect(delays == [0.5, 1, 2, 4, 8, 8, 8, 8].map { .seconds($0) })
  #expect(failures.note(from: other, at: start + .seconds(8)) == FailedProofs.shortest)
}

@Test func `failures are forgotten after ten minutes without one`() {
  var failures = FailedProofs()
  for second in 0..<5 { _ = failures.note(from: house, at: start + .seconds(second)) }
  let soon = start + .seconds(4) + FailedProofs.memory - .nanoseconds(1)
  #expect(failures.note(from: house, at: soon) == FailedProofs.longest)
  #expect(failures.note(from: house, at: soon + FailedProofs.memory) == FailedProofs.shortest)
}

@Test func `as many addresses as there may be take no more memory than a thousand`() {
  var failures = FailedProofs()
  // The one that goes on failing is not forgotten for them.
  for number in 0..<3000 as Range<Int64> {
    let now = start + .milliseconds(number)
    _ = failures.note(from: .subscriber([UInt8(number & 0xFF), UInt8(number >> 8)]), at: now)
    if number % 100 == 0 { _ = failures.note(from: house, at: now) }
    #expect(failures.count <= FailedProofs.most)
  }
  #expect(failures.note(from: house, at: start + .seconds(4)) == FailedProofs.longest)
}

@Test func `the doorkeeper closes the connection that gives way, whatever listener it belongs to, and no other`() {
  let doorkeeper = Doorkeeper()
  let closed = Mutex<[UInt64]>([])
  for number in 1...9 as ClosedRange<UInt64> {
    doorkeeper.enter(number, from: house, at: start) { closed.withLock { $0.append(number) } }
  }
  #expect(closed.withLock { $0 } == [1])
  doorkeeper.leave(2, from: house)
  doorkeeper.makeRoom(at: start + .seconds(1)) { $0 > 4 }
  doorkeeper.makeRoom(at: start + .seconds(1)) { $0 == 2 }
  #expect(closed.withLock { $0 } == [1, 5])
}
