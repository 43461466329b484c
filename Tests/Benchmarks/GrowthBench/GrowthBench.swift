import Glibc

/// Measures how the cost of the gateway grows with its state. Each measurement writes its own state, in memory.
///
/// Usage: `growth-bench [ROW]…`; without arguments, all rows. Prints one JSON object for each figure: the row, the size
/// of the state, and the value.
@main
struct GrowthBench {
  /// All rows. A file for each part of the gateway has the rows of this part.
  static let rows = rightsRows + sessionRows + listRows + logRows

  static func main() async throws {
    let names = CommandLine.arguments.dropFirst()
    for row in rows where names.isEmpty || names.contains(row.name) {
      for size in row.sizes {
        let value = try await row.measure(size)
        let rounded = (value * 1000).rounded() / 1000
        print(#"{"row":"\#(row.name)","size":\#(size),"value":\#(rounded),"unit":"\#(row.unit.rawValue)"}"#)
        fflush(nil)
      }
    }
  }
}

/// A cost of the gateway at several sizes of its state. `Tests/Benchmarks/goals.tsv` has the goals.
struct Row: Sendable {
  enum Unit: String {
    case milliseconds = "ms"
    case seconds = "s"
    case microseconds = "µs"
  }

  let name: String
  let unit: Unit
  let sizes: [Int]
  /// Returns the cost at a size. A time is the shortest of several measurements, because other programs can only make a
  /// measurement longer.
  let measure: @Sendable (Int) async throws -> Double

  init(_ name: String, _ unit: Unit, _ sizes: [Int], _ measure: @escaping @Sendable (Int) async throws -> Double) {
    self.name = name
    self.unit = unit
    self.sizes = sizes
    self.measure = measure
  }
}

extension Duration {
  var milliseconds: Double { self / .milliseconds(1) }
}

/// Returns the processor time of this process while the body runs. The state is in memory, so this is also the time for
/// which the gateway is busy on a machine without other load.
func processorTime(_ body: () async throws -> Void) async rethrows -> Duration {
  let start = processorTime
  try await body()
  return processorTime - start
}

private var processorTime: Duration {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Returns the shortest time of several runs.
func shortest(of runs: Int, _ run: () async throws -> Duration) async rethrows -> Duration {
  var shortest = try await run()
  for _ in 1..<runs { shortest = min(shortest, try await run()) }
  return shortest
}

/// The error of a measurement whose work was not done.
struct MeasurementFailure: Error, CustomStringConvertible {
  let description: String
}
