import Authorization
import Base
import LineProtocol
import OperatingSystem
import StateStore
import TemporaryFiles

/// Rows about the log. The gateway handles other inputs between two steps, so the longest step is the longest time for
/// which one of them waits. The script `growth.py` measures a whole daemon with a longer log.
let logRows = [
  Row("search of the log, longest step", .milliseconds, [10_000, 100_000]) { entries in
    try await withLog(entries) { store in
      try await longestStep(of: LogSearch(app: AppID("nothing"), newestFirst: true, limit: 1000)) { search in
        _ = try store.continueSearch(&search, reading: step)
        return !search.isOver
      }
    }
  },
  Row("pruning of the log, longest step", .milliseconds, [10_000, 100_000]) { entries in
    try await withLog(entries) { store in
      let now = SystemClock.reading
      return try await longestStep(of: LogPruning(before: now.utc)) { pruning in
        try store.continuePruning(&pruning, most: step, now: now)
        return !pruning.isOver
      }
    }
  },
  Row("verification of an entry", .microseconds, [10_000, 100_000]) { entries in
    try await withLog(entries) { store in
      try await shortest(of: 3) {
        try await processorTime {
          guard try store.verifyLog().isGood else { throw MeasurementFailure(description: "the log is broken") }
        }
      }.milliseconds * 1000 / Double(entries)
    }
  },
]

/// The number of entries that the gateway reads or removes in one step. (`LogKeeper.entriesAtOnce`)
private let step = 200

/// Returns the processor time of the longest step, in milliseconds.
private func longestStep<Work>(of work: Work, _ takeStep: (inout Work) throws -> Bool) async rethrows -> Double {
  var (work, longest, hasMore) = (work, Duration.zero, true)
  while hasMore { longest = max(longest, try await processorTime { hasMore = try takeStep(&work) }) }
  return longest.milliseconds
}

/// Runs a measurement with a store in memory, whose log has a number of entries.
private func withLog<Result>(_ entries: Int, _ body: (StateStore) async throws -> Result) async throws -> Result {
  let folder = try TemporaryDirectory(in: "/dev/shm")
  guard let key = DeviceKey(bytes: Array(repeating: 7, count: 32)), let app = AppID("app0") else {
    throw MeasurementFailure(description: "the device key is invalid")
  }
  let before = SystemClock.reading
  let written = ClockReading(monotonic: before.monotonic, utc: before.utc(at: before.monotonic - .seconds(86_400)))
  let store = try StateStore(directory: folder.path("state"), key: key, now: written)
  let entry = DisclosureEntry(app: app, accuracy: .full, right: .always, transport: "unix", isSimulated: true)
  for _ in 0..<entries / 2 {
    let opened = try store.openDisclosure(entry, record: AppRecord(app: app, status: .always), now: written)
    try store.close([.outcome(.acknowledged, of: opened)], now: written)
  }
  return try await body(store)
}
