import Base
import LineProtocol
import NIOCore
import Ports
import SeededNumbers
import Testing

@testable import Serving

private let ever = MonotonicInstant(nanoseconds: .max)

private func line(_ text: String, _ rule: OutgoingLine.Rule) -> OutgoingLine {
  OutgoingLine(ByteBuffer(string: text + "\n"), rule)
}

private func update(_ number: Int, sid: String = "a") -> OutgoingLine {
  line("MSG fix/updates \(sid) {\"n\":\(number)}", .updates(sid: sid))
}

/// Adds lines, which the queue must accept.
private func push(_ lines: OutgoingLine..., into queue: inout SendQueue) {
  for line in lines {
    let isTaken = queue.push(line)
    #expect(isTaken)
  }
}

/// Removes all lines from the queue, and returns them.
private func taken(_ queue: inout SendQueue, isVoid: (OutgoingLine) -> Bool = { _ in false }) -> [String] {
  var text = ""
  while let chunk = queue.next(isVoid: isVoid) { text += String(buffer: chunk.bytes) }
  return text.split(separator: "\n").map(String.init)
}

/// Returns the number of a key in a line, for example 7 for `n` in `{"n":7,"dropped":3}`.
private func number(_ key: String, in line: String) -> Int? {
  line.split(separator: "\"\(key)\":").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
}

@Test func `of a state the newest waits alone, and behind what was said before it`() {
  var queue = SendQueue()
  for (text, rule) in [
    ("off", .state(.indicator, sid: "a")), ("other", .state(.indicator, sid: "b")), ("reply", .reply),
    ("in-use", .state(.indicator, sid: "a")), ("present", .state(.receiver, sid: "a")),
  ] as [(String, OutgoingLine.Rule)] {
    push(line(text, rule), into: &queue)
  }
  #expect(taken(&queue) == ["other", "reply", "in-use", "present"])
}

@Test(arguments: [0, 1, 32, 33, 500])
func `the oldest updates give way, and the next that is delivered says how many`(count: Int) throws {
  var queue = SendQueue()
  for number in 0..<count { push(update(number), into: &queue) }
  let lines = taken(&queue)
  #expect(lines.count == min(count, 32))
  #expect(lines.compactMap { number("n", in: $0) } == Array((0..<count).suffix(32)))
  let dropped = lines.map { number("dropped", in: $0) ?? 0 }
  #expect(dropped.first ?? 0 == count - lines.count)
  #expect(dropped.dropFirst().allSatisfy { $0 == 0 })
  #expect(lines.allSatisfy { $0.hasSuffix("}") })
  push(update(count), into: &queue)
  #expect(taken(&queue).map { number("dropped", in: $0) } == [nil])
}

@Test func `each subscription is told of its own updates that gave way`() {
  var queue = SendQueue()
  for number in 0..<100 { push(update(number, sid: "a"), update(number, sid: "b"), into: &queue) }
  for sid in ["a", "b"] {
    var copy = queue
    let lines = taken(&copy).filter { $0.hasPrefix("MSG fix/updates \(sid) ") }
    #expect(lines.count + lines.compactMap { number("dropped", in: $0) }.reduce(0, +) == 100)
  }
}

@Test func `a one-time fix waits whatever else comes, and of one message only the newest`() {
  var queue = SendQueue()
  for (text, message) in [("first", 1), ("second", 2), ("first again", 1)] {
    push(line(text, .once(message: message, until: ever)), into: &queue)
  }
  for number in 0..<1000 { push(update(number), into: &queue) }
  #expect(taken(&queue).filter { !$0.hasPrefix("MSG") } == ["second", "first again"])
}

@Test func `fixes that are erased are gone, and nothing else is`() {
  var queue = SendQueue()
  push(line("reply", .reply), line("once", .once(message: 1, until: ever)), into: &queue)
  for number in 0..<100 { push(update(number), into: &queue) }
  var copy = queue
  copy.erase(.updates)
  #expect(taken(&copy) == ["reply", "once"])
  push(update(100), into: &copy)
  #expect(taken(&copy).map { number("dropped", in: $0) } == [nil])
  copy = queue
  copy.erase(.once)
  #expect(taken(&copy).count == 1 + 32)
  queue.erase(.all)
  #expect(taken(&queue) == ["reply"])
}

@Test func `what may not leave any more is passed over`() {
  var queue = SendQueue()
  for number in 0..<10 { push(update(number), into: &queue) }
  push(line("reply", .reply), into: &queue)
  #expect(taken(&queue) { $0.rule != .reply } == ["reply"])
}

@Test func `events wait up to a number, and one more ends the connection`() {
  var queue = SendQueue()
  for number in 0..<256 { push(line("press \(number)", .event), into: &queue) }
  let isTaken = queue.push(line("one more", .event))
  #expect(!isTaken)
  #expect(taken(&queue).count == 256)
}

@Test(arguments: [([2000, 2096], [4096]), ([2000, 2097], [2000, 2097]), ([1, 2, 9001, 1], [3, 9001, 1])])
func `short lines leave together, up to 4096 bytes, and a longer line alone`(lines: [Int], writes: [Int]) {
  var queue = SendQueue()
  for count in lines { push(line(String(repeating: "x", count: count - 1), .reply), into: &queue) }
  var sizes: [Int] = []
  while let chunk = queue.next(isVoid: { _ in false }) { sizes.append(chunk.bytes.readableBytes) }
  #expect(sizes == writes)
}

@Test func `a write with several lines has the kinds of all fixes in them`() {
  var queue = SendQueue()
  push(line("reply", .reply), update(1), line("once", .once(message: 1, until: ever)), into: &queue)
  let chunk = queue.next(isVoid: { _ in false })
  #expect(chunk?.fixes == .all)
}

/// For any sequence of lines to a slow client, the queue has a limit, all replies arrive in their order, and each
/// update is delivered or counted.
@Test(arguments: 1...20)
func `nothing is lost without a word, and what waits is bounded`(seed: UInt64) {
  var random = SplitMix64(seed: seed)
  var queue = SendQueue()
  var (replies, updates) = (0, 0)
  var heard: [String] = []
  func receive() {
    let lines = taken(&queue)
    #expect(lines.count <= replies + 1 + 32)
    heard += lines
  }
  for _ in 0..<2000 {
    switch Int.random(in: 0..<10, using: &random) {
    case 0 where replies < 50:
      push(line("reply \(replies)", .reply), into: &queue)
      replies += 1
    case 1: push(line("state", .state(.indicator, sid: "a")), into: &queue)
    case 2: if Int.random(in: 0..<20, using: &random) == 0 { receive() }
    default:
      push(update(updates), into: &queue)
      updates += 1
    }
  }
  receive()
  #expect(heard.filter { $0.hasPrefix("reply") } == (0..<replies).map { "reply \($0)" })
  let delivered = heard.filter { $0.hasPrefix("MSG") }
  #expect(delivered.count + delivered.compactMap { number("dropped", in: $0) }.reduce(0, +) == updates)
}
