import CAllocations
import Clocks
import Estimation
import Framing
import GNSS
import Glibc
import NMEA

/// An output that counts, so that the optimizer cannot remove the work.
struct Counter: NMEAOutput {
  var fixes = 0
  var latitudes = 0.0

  mutating func receive(_ epoch: Epoch) {
    guard let coordinate = epoch.coordinate else { return }
    fixes += 1
    latitudes += coordinate.latitude
  }
}

@main
struct Benchmarks {
  static func main() {
    // `Benchmarks write MEGABYTES` writes the log to the standard output.
    if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "write", let size = Int(CommandLine.arguments[2]) {
      exit(Log.write(bytes: size * 1_000_000, to: STDOUT_FILENO) ? 0 : 1)
    }
    let log = Log(epochs: CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 300_000)
    print("\(log.sentences) sentences, \(log.bytes.count) bytes, \(log.epochs) epochs")
    measure("reference: checksums and commas, byte by byte", log) { chunk in split(chunk) }
    measure("frames and checksums", log) { chunk in frames(chunk) }
    measure("sentences and epochs, chunks of 64 KiB", log) { chunk in decode(chunk, .replay, size: 65_536) }
    var live = NMEAConfiguration()
    live.rolloverFloor = nil
    measure("the same, live", log) { chunk in decode(chunk, live, size: 65_536) }
    measure("the same, chunks of 64 bytes", log) { chunk in decode(chunk, live, size: 64) }
    measureFilter("filter, positions and heights", Drive(epochs: 200_000))
    measureFilter("filter, a dropout of 25 s in each minute", Drive(epochs: 200_000, dropout: 25))
    Lines.measure()
  }

  /// Prints the lowest processor time of several runs, and the allocations of the last run.
  ///
  /// The first argument of the program selects measurements by a part of their name. The second is the number of
  /// epochs in the log.
  static func measure(_ name: String, _ log: Log, _ body: (Span<UInt8>) -> Int) {
    if let filter = CommandLine.arguments.dropFirst().first, !name.contains(filter) { return }
    var best = Int64.max
    var allocations: UInt64 = 0
    var result = 0
    for _ in 0..<5 {
      let before = onefix_allocation_count()
      let start = onefix_processor_nanoseconds()
      result = body(log.bytes.span)
      best = min(best, onefix_processor_nanoseconds() - start)
      allocations = onefix_allocation_count() - before
    }
    let nanoseconds = Double(best)
    let each = nanoseconds / Double(log.sentences)
    print(
      "\(name): \(rounded(each)) ns/sentence, \(rounded(1000 / each)) million/s, "
        + "\(rounded(Double(log.bytes.count) * 1000 / nanoseconds)) MB/s, \(allocations) allocations, result \(result)")
  }

  /// Prints the lowest processor time per epoch of several runs, and the allocations of the last run.
  static func measureFilter(_ name: String, _ drive: Drive) {
    if let filter = CommandLine.arguments.dropFirst().first, !name.contains(filter) { return }
    var best = Int64.max
    var allocations: UInt64 = 0
    var latitudes = 0.0
    for _ in 0..<5 {
      var filter = PositionFilter()
      let before = onefix_allocation_count()
      let start = onefix_processor_nanoseconds()
      for epoch in drive.epochs {
        if let fix = filter.update(epoch) { latitudes += fix.coordinate.latitude }
      }
      best = min(best, onefix_processor_nanoseconds() - start)
      allocations = onefix_allocation_count() - before
    }
    let each = Double(best) / Double(drive.epochs.count)
    print("\(name): \(rounded(each)) ns/epoch, \(allocations) allocations, result \(Int(latitudes))")
  }

  /// Prints the lowest processor time per line of several runs, and the allocations of the last run.
  static func measureLines(_ name: String, _ body: () -> Int) {
    if let filter = CommandLine.arguments.dropFirst().first, !name.contains(filter) { return }
    let lines = 200_000
    var best = Int64.max
    var allocations: UInt64 = 0
    var result = 0
    for _ in 0..<5 {
      let before = onefix_allocation_count()
      let start = onefix_processor_nanoseconds()
      for _ in 0..<lines { result += body() }
      best = min(best, onefix_processor_nanoseconds() - start)
      allocations = onefix_allocation_count() - before
    }
    let (each, some) = (Double(best) / Double(lines), Double(allocations) / Double(lines))
    print("\(name): \(rounded(each)) ns/line, \(rounded(some)) allocations/line, result \(result)")
  }

  static func rounded(_ value: Double) -> Double { Double(Int(value * 100 + 0.5)) / 100 }

  /// Counts sentences with a correct checksum and their fields in a loop over the bytes. This is the speed of the
  /// machine in the same run, with which figures of different machines can be compared.
  static func split(_ bytes: Span<UInt8>) -> Int {
    var (valid, fields, index) = (0, 0, 0)
    while index < bytes.count {
      guard bytes[index] == 0x24 else {
        index += 1
        continue
      }
      index += 1
      var (sum, commas): (UInt8, Int) = (0, 0)
      while index < bytes.count, bytes[index] != 0x2A, bytes[index] != 0x0A {
        sum ^= bytes[index]
        if bytes[index] == 0x2C { commas += 1 }
        index += 1
      }
      guard index + 2 < bytes.count else { break }
      let digits = (bytes[index + 1], bytes[index + 2])
      let high = digits.0 < 0x3A ? digits.0 &- 0x30 : digits.0 &- 0x37
      let low = digits.1 < 0x3A ? digits.1 &- 0x30 : digits.1 &- 0x37
      if high << 4 | low == sum { (valid, fields) = (valid + 1, fields + commas) }
    }
    return fields > valid ? valid : 0
  }

  static func frames(_ bytes: Span<UInt8>) -> Int {
    var scanner = FrameScanner()
    var position = 0
    var valid = 0
    while let frame = scanner.next(in: bytes, from: &position) {
      if case .sentence(let computed, let received) = frame.kind, received == computed { valid += 1 }
    }
    return valid
  }

  static func decode(_ bytes: Span<UInt8>, _ configuration: NMEAConfiguration, size: Int) -> Int {
    var decoder = NMEADecoder(configuration: configuration)
    var counter = Counter()
    let instant = MonotonicInstant(nanoseconds: 0)
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + size)
      decoder.consume(bytes.extracting(start..<end), at: instant, to: &counter)
      start = end
    }
    decoder.finish(to: &counter)
    return counter.fixes
  }
}
