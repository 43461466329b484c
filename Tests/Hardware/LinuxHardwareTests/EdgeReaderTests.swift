import Base
import Glibc
import Hardware
import Logging
import OperatingSystem
import Requirements
import Synchronization
import Testing

@testable import LinuxHardware

/// A pipe that simulates a line: edges are records of 16 bytes for the real reader.
final class PipeEdges: EdgeSource {
  let name = "a pipe"
  let device: String?
  private let output: Int32
  /// The descriptor; negative after it was closed, because another file may then have its number.
  private let input: Mutex<Int32>
  private let count = Mutex(0)
  private let level = Mutex(LineActivity.inactive)
  private let fault = Mutex<HardwareError?>(nil)

  init(device: String? = nil) {
    var ends: [Int32] = [0, 0]
    unsafe #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    output = ends[0]
    input = Mutex(ends[1])
    self.device = device
  }

  deinit {
    close(output)
    hangUp()
  }

  /// How often the reader's thread has waited for the pipe.
  var waits: Int { count.withLock { $0 } }
  var descriptor: Int32 {
    count.withLock { $0 += 1 }
    return output
  }

  func hangUp() {
    input.withLock { input in
      if input >= 0 { close(input) }
      input = -1
    }
  }

  func set(_ activity: LineActivity) { level.withLock { $0 = activity } }

  func fail(_ error: HardwareError) { fault.withLock { $0 = error } }

  /// Sends edges that are read together.
  func send(_ edges: [(LineActivity, Int64, UInt32)]) {
    var words: [UInt64] = []
    for (activity, time, sequence) in edges {
      words += [UInt64(bitPattern: time), UInt64(sequence) << 1 | (activity == .active ? 1 : 0)]
    }
    let input = input.withLock { $0 }
    // The count is the length of the array.
    unsafe #expect(words.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) } == words.count * 8)
  }

  func readEdges() throws(HardwareError) -> EdgeRecords {
    var words = [UInt64](repeating: 0, count: 32)
    // The count is the length of the array.
    let count = unsafe words.withUnsafeMutableBytes { unsafe read(output, $0.baseAddress, $0.count) } / 16
    guard count > 0 else { throw HardwareError(.absent, "read", name, cause: "it was closed") }
    let records = (0..<count).map { index in
      let sequence = UInt32(words[2 * index + 1] >> 1)
      return EdgeRecords.Record(
        edge: Edge(
          words[2 * index + 1] & 1 == 1 ? .active : .inactive,
          at: MonotonicInstant(nanoseconds: Int64(bitPattern: words[2 * index]))),
        sequence: sequence == 0 ? nil : sequence)
    }
    return EdgeRecords(records: records, mayHaveOverflowed: count == 16)
  }

  func activity() throws(HardwareError) -> LineActivity {
    if let fault = fault.withLock({ $0 }) { throw fault }
    return level.withLock { $0 }
  }
}

private func edge(_ activity: LineActivity, _ time: Int64) -> EdgeEvent {
  .edge(Edge(activity, at: MonotonicInstant(nanoseconds: time)))
}

private func lost(_ activity: LineActivity, _ time: Int64) -> EdgeEvent {
  .lost(now: activity, at: MonotonicInstant(nanoseconds: time))
}

@Suite(.patient) struct EdgeReaderTests {
  private let reader: EdgeReader

  init() throws { reader = try EdgeReader(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) }

  @Test func `the first event is the current level, and edges follow, also those before the first poll`() async throws {
    let pipe = PipeEdges()
    pipe.set(.active)
    pipe.send([(.inactive, 5, 1)])
    var events = reader.events(of: pipe).makeAsyncIterator()
    guard case .initial(.active, _) = try await events.next() else { throw CancellationError() }
    #expect(try await events.next() == edge(.inactive, 5))
    pipe.send([(.active, 7, 2), (.inactive, 9, 3)])
    #expect(try await events.next() == edge(.active, 7))
    #expect(try await events.next() == edge(.inactive, 9))
  }

  @Test func `a confirmation follows all edges that were pending at its request, for each line`() async throws {
    let pipes = (0..<2).map { _ in PipeEdges() }
    var lines = pipes.map { reader.events(of: $0).makeAsyncIterator() }
    for index in lines.indices { _ = try await lines[index].next() }
    for round in 1...200 {
      pipes[0].send([(.active, Int64(round), UInt32(round))])
      let requested = SystemClock.monotonic
      reader.confirmEdges()
      #expect(try await lines[0].next() == edge(.active, Int64(round)))
      for index in lines.indices {
        guard case .confirmed(let instant) = try await lines[index].next() else { throw CancellationError() }
        #expect(instant >= requested)
      }
    }
  }

  @Test func `a gap between edge numbers or a full queue is reported as a loss with the current level`() async throws {
    let pipe = PipeEdges()
    var events = reader.events(of: pipe).makeAsyncIterator()
    _ = try await events.next()
    pipe.send([(.active, 1, 1)])
    #expect(try await events.next() == edge(.active, 1))
    pipe.set(.active)
    pipe.send([(.inactive, 9, 5)])
    #expect(try await events.next() == lost(.active, 9))
    pipe.send([(.inactive, 12, 6)])
    #expect(try await events.next() == edge(.inactive, 12), "counting goes on from there")
    pipe.send((20..<36).map { (LineActivity.active, Int64($0), 0) })
    #expect(try await events.next() == lost(.active, 35))
  }

  @Test func `a removed line ends with an error, and the others continue`() async throws {
    let (gone, here) = (PipeEdges(), PipeEdges())
    var ending = reader.events(of: gone).makeAsyncIterator()
    var staying = reader.events(of: here).makeAsyncIterator()
    _ = try await ending.next()
    _ = try await staying.next()
    gone.hangUp()
    await #expect(throws: HardwareError.self) { try await ending.next() }
    here.send([(.active, 1, 1)])
    #expect(try await staying.next() == edge(.active, 1))
  }

  private static let mayMakeDevices = unsafe access("/dev", W_OK) == 0

  @Test(.enabled(if: mayMakeDevices, "only root can make files in /dev"))
  func `a device that is removed from dev ends its lines without an event of poll`() async throws {
    let path = "/dev/onefix-test-\(getpid())"
    let file = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    close(file)
    let pipe = PipeEdges(device: "onefix-test-\(getpid())")
    var events = reader.events(of: pipe).makeAsyncIterator()
    _ = try await events.next()
    #expect(unsafe unlink(path) == 0)
    let error = await #expect(throws: HardwareError.self) { try await events.next() }
    #expect(error?.kind == .absent)
  }

  @Test func `a line that cannot be read at the start is refused`() async throws {
    let pipe = PipeEdges()
    let error = HardwareError(.failed, "read", "a line", cause: "broken")
    pipe.fail(error)
    var events = reader.events(of: pipe).makeAsyncIterator()
    #expect(await #expect(throws: HardwareError.self) { try await events.next() } == error)
  }

  @Test func `a thread that was woken once sleeps again until the next edge`() async throws {
    let other = try EdgeReader(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (source, busy) = (PipeEdges(), PipeEdges())
    var events = reader.events(of: source).makeAsyncIterator()
    var others = other.events(of: busy).makeAsyncIterator()
    _ = try await events.next()
    _ = try await others.next()
    await reader.respond()
    let waits = source.waits
    // A thread that does not sleep waits about as often as the thread of the other reader.
    for _ in 0..<1000 { await other.respond() }
    #expect(source.waits < waits + 100)
    source.send([(.active, 1, 1)])
    busy.send([(.active, 1, 1)])
    #expect(try await events.next() == edge(.active, 1))
    #expect(try await others.next() == edge(.active, 1))
  }

  @Test func `a cancelled sequence gets no more edges, and a new one begins with the current level`() async throws {
    let pipe = PipeEdges()
    do {
      var events = reader.events(of: pipe).makeAsyncIterator()
      _ = try await events.next()
    }
    var events = reader.events(of: pipe).makeAsyncIterator()
    guard case .initial(.inactive, _) = try await events.next() else { throw CancellationError() }
    pipe.send([(.active, 1, 40)])
    #expect(try await events.next() == edge(.active, 1))
  }
}
