import Base
import Synchronization
import Testing

@testable import LinuxHardware

/// Polls a bus until a time. Returns the stream and the polling state.
private func poll(
  _ bus: SimulatedI2CBus, _ dialect: I2CDialect, until end: Int64, sending: [UInt8] = []
) -> (stream: [UInt8], polling: I2CPolling, ended: I2CFault?) {
  var polling = I2CPolling(dialect, capacity: bus.capacity, at: bus.timing.now())
  polling.send(sending)
  var stream: [UInt8] = []
  while bus.timing.now() < at(end) {
    switch polling.next(at: bus.timing.now()) {
    case .wait(let instant): bus.state.withLock { $0.now = max($0.now, instant) }
    case .giveUp(let fault): return (stream, polling, fault)
    case .perform(let transaction):
      do throws(I2CFault) {
        let bytes = try bus.perform(transaction)
        stream += polling.succeeded(bytes, at: bus.timing.now())
      } catch {
        polling.failed(error, at: bus.timing.now())
      }
    }
  }
  return (stream, polling, nil)
}

private let sentence = Array("$GNGLL,4717.11,N,00833.91,E,092321.00,A,A*7D\r\n".utf8)
/// A frame with filler bytes in its payload.
private let frame: [UInt8] =
  [0xB5, 0x62, 0x01, 0x35, 0x28, 0x00] + [UInt8](repeating: 0xFF, count: 14) + [0x7F, 0x0A, 0xB5, 0x62, 0x24, 0xD3]
  + [UInt8](repeating: 0xFF, count: 15) + [1, 2, 3, 4, 5, 0xFF, 0xFF]

private func seconds(_ count: Int, every period: Int64 = 1000, _ bytes: [UInt8]) -> [(
  milliseconds: Int64, bytes: [UInt8]
)] {
  (0..<count).map { (100 + Int64($0) * period, bytes) }
}

@Test(arguments: [8192, 255, 64, 32, 4])
func `a stream is read completely, with the filler bytes inside frames, in reads that the adapter permits`(
  capacity: Int
) {
  let epoch = sentence + frame + sentence + [UInt8](repeating: 0x55, count: 700) + sentence
  let bus = SimulatedI2CBus(.ddc, capacity: capacity, seconds(3, epoch))
  let (stream, polling, _) = poll(bus, .ddc, until: 5000, sending: [UInt8](repeating: 7, count: 65))
  #expect(stream == (0..<3).flatMap { _ in epoch })
  #expect((polling.statistics.bytes, polling.statistics.phantomCounts) == (stream.count, 0))
  bus.state.withLock { state in
    #expect(state.reading.allSatisfy { $0 <= capacity && $0 <= 130 })
    #expect(state.written.flatMap(\.bytes) == [UInt8](repeating: 7, count: 65))
    #expect(state.written.allSatisfy { (2...capacity).contains($0.bytes.count) })
  }
}

@Test func `an idle receiver is polled for its count only, four times per period`() {
  let bus = SimulatedI2CBus(.ddc)
  _ = poll(bus, .ddc, until: 10_000)
  bus.state.withLock { state in
    #expect(state.reading.allSatisfy { $0 == 2 })
    #expect((38...42).contains(state.reads.count))
  }
}

@Test(arguments: [(1000, 250), (200, 50), (100, 25), (40, 10)] as [(Int64, Int64)])
func `the poll interval is a quarter of the learned period`(period: Int64, interval: Int64) {
  let bus = SimulatedI2CBus(.ddc, seconds(Int(20_000 / period), every: period, sentence))
  let (stream, _, _) = poll(bus, .ddc, until: 20_500)
  #expect(stream.count == sentence.count * Int(20_000 / period))
  bus.state.withLock { state in
    let late = state.reads.filter { $0 > at(15_000) && $0 < at(19_000) }
    let gaps = zip(late, late.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 <= .milliseconds(interval + 12) })
    #expect(Int64(late.count) < 4000 / interval * 2)
  }
}

@Test(arguments: I2CFault.allCases.filter { $0 != .busGone })
func `a failed transaction is repeated and counted by its cause`(fault: I2CFault) {
  let bus = SimulatedI2CBus(.ddc, seconds(5, sentence))
  bus.state.withLock { $0.faults = [nil, fault, fault, nil, nil, fault, nil, nil, fault, fault, fault, fault] }
  let (stream, polling, _) = poll(bus, .ddc, until: 6000)
  #expect(stream == (0..<5).flatMap { _ in sentence })
  let statistics = polling.statistics
  let counts = [statistics.notAcknowledged, statistics.timedOut, statistics.arbitrationLost, statistics.otherFaults]
  #expect(counts.sorted() == [0, 0, 0, 7])
}

@Test func `a receiver is always polled before it stops its stream, even after failures`() {
  for good in 1...20 {
    let bus = SimulatedI2CBus(.ddc, seconds(30, sentence))
    bus.state.withLock { state in
      for _ in 0..<8 {
        state.faults += [I2CFault?](repeating: nil, count: good) + [.timedOut, .notAcknowledged, .timedOut]
      }
    }
    let (_, polling, _) = poll(bus, .ddc, until: 31_000)
    #expect(polling.statistics.latePolls == 0)
    bus.state.withLock { #expect($0.lost == 0) }
  }
}

@Test func `a read is late from more than 1.5 s after the read before`() {
  var polling = I2CPolling(.ddc, capacity: 255, at: at(0))
  for (now, late) in [(0, 0), (1500, 0), (3001, 1), (4501, 1)] as [(Int64, Int)] {
    #expect(polling.next(at: at(now)) != .wait(until: at(now)))
    _ = polling.succeeded([0, 0], at: at(now))
    #expect(polling.statistics.latePolls == late)
  }
}

@Test(arguments: [(4096, 0), (4097, 1), (0x7FFF, 1), (0x8000 | 4096, 1), (0xFFFF, 1)])
func `a count of bytes is at most that of the receiver's buffer`(count: Int, phantoms: Int) {
  var stream = DDCStream(capacity: 255)
  #expect(stream.received([UInt8(count >> 8), UInt8(count & 0xFF)]) == [])
  #expect(stream.phantomCounts == phantoms && stream.hasMore == (count != 0xFFFF))
}

@Test func `a long interval between reads counts as one late poll, even with several attempts`() {
  let bus = SimulatedI2CBus(.ddc)
  bus.state.withLock { $0.faults = [nil] + [I2CFault?](repeating: .timedOut, count: 10) }
  let (_, polling, _) = poll(bus, .ddc, until: 5000)
  #expect(polling.statistics.latePolls == 1)
  #expect(polling.statistics.causes == ["i2c-timeout": 10, "i2c-late-poll": 1])
}

@Test(
  arguments: [(I2CFault.notAcknowledged, 5000), (.timedOut, 5000), (.arbitrationLost, 5000), (.busGone, 0)]
    as [(I2CFault, Int64)])
func `a receiver that disappeared is given up after retries with increasing delays`(fault: I2CFault, timeout: Int64) {
  let bus = SimulatedI2CBus(.ddc)
  bus.state.withLock { $0.faults = [nil] + [I2CFault?](repeating: fault, count: 100) }
  #expect(poll(bus, .ddc, until: 10_000).ended == fault)
  #expect((at(250 + timeout)...at(250 + timeout + 500)).contains(bus.timing.now()))
  let attempts = bus.state.withLock { $0.transactions } - 1
  #expect(timeout == 0 ? attempts == 1 : (14...16).contains(attempts), "\(attempts)")
}

@Test func `a receiver that never answered is given up sooner`() {
  let bus = SimulatedI2CBus(.ddc)
  bus.state.withLock { $0.fault = .notAcknowledged }
  #expect(poll(bus, .ddc, until: 3000).ended == .notAcknowledged)
  #expect(bus.timing.now() < at(1600))
}

private let counts: [String: @Sendable (Int) -> Int] = [
  "a floating bus": { $0 == 0 ? 0xFFFF : $0 }, "a count without data": { $0 == 0 ? 127 : $0 },
  "beyond the buffer": { $0 == 0 ? 13_666 : $0 }, "top bit": { $0 == 0 ? 0 : $0 | 0x8000 },
  "top bit when empty": { $0 | 0x8000 }, "zero at times": { $0 > 60 && $0 < 80 ? 0 : $0 },
  "the filler 0x7F": { $0 == 0 ? 127 : $0 },
]

@Test(arguments: counts.keys.sorted())
func `an invalid count neither loses nor adds bytes`(kind: String) throws {
  let bus = SimulatedI2CBus(.ddc, seconds(8, sentence + frame))
  let count = try #require(counts[kind])
  bus.state.withLock { ($0.count, $0.filler) = (count, kind == "the filler 0x7F" ? 0x7F : 0xFF) }
  let (stream, polling, _) = poll(bus, .ddc, until: 9000)
  #expect(stream == (0..<8).flatMap { _ in sentence + frame })
  #expect((polling.statistics.phantomCounts > 0) == (kind != "zero at times"))
}

@Test(
  arguments: [
    ([0xFF, 0x24, 0xFF, 0xFF, 0x47, 0x7F], [0x24, 0x47]), ([0xB5, 0xFF, 0x62, 0xFF], [0xB5, 0x62]),
    ([0xB5, 0x62, 1, 7, 1, 0, 0xFF, 0xFF, 0xFF, 0xFF], [0xB5, 0x62, 1, 7, 1, 0, 0xFF, 0xFF, 0xFF]),
    ([0xB5, 0x62, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF], [0xB5, 0x62, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF]),
    ([0xB5, 0x62, 1, 7, 0xFF, 0xFF, 0xFF], [0xB5, 0x62, 1, 7, 0xFF, 0xFF]),
    ([0xD3, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xD3, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]), ([0xD3, 0xFF, 0xFF], [0xD3]),
    ([0xB5, 0xB5, 0x62, 1, 7, 0, 0, 0xFF, 0xFF, 0xFF], [0xB5, 0xB5, 0x62, 1, 7, 0, 0, 0xFF, 0xFF]),
  ] as [([UInt8], [UInt8])])
func `filler bytes are dropped outside of binary frames, for any chunks`(raw: [UInt8], kept: [UInt8]) {
  for cut in 0...raw.count {
    var filter = FillerFilter()
    #expect(filter.filtered(raw[..<cut]) + filter.filtered(raw[cut...]) == kept)
  }
}

// MARK: MediaTek

@Test func `a padded buffer is read without its padding, for any division of sentences`() {
  for length in stride(from: 1, through: 300, by: 7) {
    let line = Array("$PMTK".utf8) + [UInt8](repeating: 0x41, count: length) + [0x0D, 0x0A]
    // The pieces that the receiver has ready, with padding between them.
    let bus = SimulatedI2CBus(
      .padded, [(100, Array(line[..<(length / 2)])), (900, Array(line[(length / 2)...])), (1900, line)])
    let (stream, _, _) = poll(bus, .paddedBuffer, until: 3000)
    #expect(stream == line + line)
  }
}

@Test func `two reads of a padded buffer are 2 ms apart, two writes 10 ms`() {
  let bus = SimulatedI2CBus(.padded, seconds(10, [UInt8](repeating: 0x41, count: 900)))
  let (stream, _, _) = poll(bus, .paddedBuffer, until: 11_000, sending: [UInt8](repeating: 0x42, count: 511))
  #expect(stream.count == 9000)
  bus.state.withLock { state in
    // From the end of a read to the beginning of the next one: a read of 255 bytes and an address takes 23.04 ms.
    let length = Duration.microseconds(90 * 256)
    #expect(zip(state.reads, state.reads.dropFirst()).allSatisfy { $1 - $0 - length >= .milliseconds(2) })
    #expect(state.reading.allSatisfy { $0 == 255 })
    #expect(state.written.map(\.bytes.count) == [255, 254, 2])
    #expect(zip(state.written, state.written.dropFirst()).allSatisfy { $1.at - $0.at >= .milliseconds(10) })
  }
}

@Test func `an empty padded buffer is polled less often`() {
  let bus = SimulatedI2CBus(.padded)
  let (stream, _, _) = poll(bus, .paddedBuffer, until: 10_000)
  #expect(stream.isEmpty)
  bus.state.withLock { #expect((30...42).contains($0.reads.count)) }
}

// MARK: The cost of SMBus

/// The figures in the comment in CLinux: the receiver, the capacity of the adapter with I2C and with SMBus, the
/// transactions and the busy milliseconds per second, and whether the complete stream is read.
@Test(arguments: [
  (SimulatedI2CBus.Receiver.ddc, 8192, 47, 238.0, true), (.ddc, 32, 108, 265, true),
  (.padded, 255, 23, 537, true), (.padded, 1, 458, 82, false),
])
func `at 10 Hz a stream costs less with I2C messages than with SMBus, which is too slow for MediaTek`(
  receiver: SimulatedI2CBus.Receiver, capacity: Int, transactionsPerSecond: Int, busyPerSecond: Double, keepsUp: Bool
) {
  let epoch = [UInt8](repeating: 0x41, count: 240)
  let bus = SimulatedI2CBus(receiver, capacity: capacity, seconds(300, every: 100, epoch))
  let dialect: I2CDialect = receiver == .ddc ? .ddc : .paddedBuffer
  // The first seconds teach the period.
  let (before, _, _) = poll(bus, dialect, until: 10_000)
  let (transactions, busy) = bus.state.withLock { ($0.transactions, $0.busy) }
  let (after, _, _) = poll(bus, dialect, until: 20_000)
  #expect((before.count + after.count >= 195 * epoch.count) == keepsUp)
  bus.state.withLock { state in
    #expect((state.transactions - transactions) / 10 == transactionsPerSecond)
    #expect(abs((state.busy - busy) / .seconds(10) * 1000 - busyPerSecond) < 1, "\(state.busy - busy)")
  }
}

@Test(arguments: [(8192, 130), (130, 130), (129, 129), (20, 20)])
func `a transaction reads the count and at most 128 bytes, or what the adapter permits`(capacity: Int, count: Int) {
  var stream = DDCStream(capacity: capacity)
  _ = stream.received([0x0F, 0xFF])
  #expect(stream.read == .transfer(write: [0xFD], readCount: count))
}

@Test(arguments: [[], [0x0F]] as [[UInt8]])
func `a read that is too short for a count has no data`(bytes: [UInt8]) {
  var stream = DDCStream(capacity: 8192)
  #expect(stream.received(bytes) == [] && !stream.hasMore)
}

@Test(arguments: [(15, 15), (16, 0)])
func `sixteen bytes 0xFF in a row are an empty stream, and fewer of them in a frame are data`(count: Int, kept: Int) {
  var stream = DDCStream(capacity: 8192)
  // The header of a frame with 200 bytes of payload.
  let header: [UInt8] = [0xB5, 0x62, 0x01, 0x35, 200, 0]
  _ = stream.received([0, UInt8(header.count)])
  #expect(stream.received([0, UInt8(header.count)] + header) == header)
  #expect(stream.received([0, UInt8(count)] + [UInt8](repeating: 0xFF, count: count)).count == kept)
}
