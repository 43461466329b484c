import Base
import Decoding
import GNSS
import Glibc

/// An output that counts, so that the optimizer cannot remove the work.
struct Counter: NMEAOutput {
  var fixes = 0

  mutating func receive(_ epoch: Epoch) { if epoch.coordinate != nil { fixes += 1 } }
}

/// `Benchmarks write MEGABYTES` writes a generated log to the standard output. `Benchmarks read` reads such a log in
/// memory, and prints the sentences per second of processor time, in millions: the median of five runs.
@main
struct Benchmarks {
  static func main() {
    switch (CommandLine.arguments.dropFirst().first, CommandLine.arguments.last.flatMap { Int($0) }) {
    case ("write"?, let size?): exit(Log.write(bytes: size * 1_000_000, to: STDOUT_FILENO) ? 0 : 1)
    case ("read"?, _): print(rate(of: Log(epochs: 300_000)))
    default: exit(64)
    }
  }

  private static func rate(of log: Log) -> Double {
    let rates = (0..<5).map { _ in
      let start = processorTime()
      guard decode(log.bytes.span) == log.epochs else { exit(1) }
      return Double(log.sentences) * 1000 / Double(processorTime() - start)
    }
    return (rates.sorted()[2] * 100).rounded() / 100
  }

  /// The processor time of this process in nanoseconds.
  private static func processorTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private static func decode(_ bytes: Span<UInt8>) -> Int {
    var decoder = NMEADecoder(configuration: .replay)
    var counter = Counter()
    let instant = MonotonicInstant(nanoseconds: 0)
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + 65_536)
      decoder.consume(bytes.extracting(start..<end), at: instant, to: &counter)
      start = end
    }
    decoder.finish(to: &counter)
    return counter.fixes
  }
}
