import Glibc
import SeededNumbers
import StoreScenario
import Synchronization
import Testing

@Suite struct PowerCutTests {
  /// The number of pending changes up to which every subset is tested. With more changes, `seeded` subsets are tested.
  private static let (everySubset, seeded) = isWhole ? (10, 1000) : (5, 32)
  /// ONEFIX_DURABILITY=whole tests more subsets, which takes some minutes.
  private static var isWhole: Bool { unsafe getenv("ONEFIX_DURABILITY").map { unsafe String(cString: $0) } == "whole" }

  /// The power fails after each change to a file. Each change that was not synchronized may or may not be on the disk.
  @Test func `after a power loss at any moment, the invariants hold and the log verifies`() async throws {
    let source = try ScratchDirectory()
    defer { source.remove() }
    let undisturbed = try ScratchDirectory()
    defer { undisturbed.remove() }
    let aftermath = try Aftermath(undisturbedIn: undisturbed.path)
    let recording = try Recording("power")
    try recording.record {
      var scenario = Scenario(directory: source.path)
      try scenario.run { _, _ in recording.mark() }
    }
    let changes = recording.changes
    let cuts = (0...changes.count).map { PowerCut(changes, after: $0) }
    try #require(cuts.last?.steps == Scenario.Step.allCases.count)
    let directory = try ScratchDirectory()
    defer { directory.remove() }
    let findings = Findings()
    // Two workers are slower than one: all allocations of SQLite take one lock, and the workers would wait for each other.
    await runInBackground(workers: 1) { _ in
      for (number, cut) in cuts.enumerated() {
        for reached in Self.subsets(of: cut.pending.count, seed: UInt64(number)) {
          let files = cut.files { reached[$0] }
          let state = Self.hash(files, cut.steps)
          guard findings.tally.withLock({ $0.isNew(state) }) else { continue }
          do {
            try directory.put(files, from: source.path)
            try aftermath.check(directory.path, after: cut.steps)
          } catch {
            let change = number > 0 ? "\(changes[number - 1])".prefix(80) : "nothing"
            findings.failures.withLock {
              $0.append("cut \(number) (\(cut.steps) steps, after \(change)), reached \(reached): \(error)")
            }
          }
        }
      }
    }
    let (states, repeated) = findings.tally.withLock { ($0.states, $0.repeated) }
    print(
      "power cuts: \(changes.count) changes, \(cuts.count) cuts, \(states) states of the disk opened, "
        + "\(repeated) more were the same, at most \(cuts.map(\.pending.count).max() ?? 0) changes unsynchronized")
    let found = findings.failures.withLock { $0 }
    #expect(found.isEmpty, "\(found.count): \(found.prefix(3).joined(separator: "\n"))")
    #expect(states > cuts.count)
  }

  private final class Findings: Sendable {
    let tally = Mutex(Tally())
    let failures = Mutex<[String]>([])
  }

  private struct Tally {
    var states = 0
    var repeated = 0
    private var seen = Set<Int>()

    mutating func isNew(_ state: Int) -> Bool {
      let isNew = seen.insert(state).inserted
      if isNew { states += 1 } else { repeated += 1 }
      return isNew
    }
  }

  /// Returns the hash of a state of the disk. The bytes of a file are hashed at once, because an array hashes each byte
  /// separately.
  private static func hash(_ files: [String: [UInt8]], _ steps: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(steps)
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      hasher.combine(name)
      hasher.combine(bytes.count)
      // The buffer is valid during the call.
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }

  /// Returns the tested subsets of changes that reached the disk.
  private static func subsets(of count: Int, seed: UInt64) -> [[Bool]] {
    if count <= everySubset {
      return (0..<(1 << count)).map { bits in (0..<count).map { bits >> $0 & 1 == 1 } }
    }
    var random = SplitMix64(seed: seed)
    // Four kinds of subsets most likely show faults: none, all, a single change, and all but a single change.
    var subsets = [[Bool](repeating: false, count: count), [Bool](repeating: true, count: count)]
    for index in 0..<count {
      for value in [false, true] {
        var subset = [Bool](repeating: !value, count: count)
        subset[index] = value
        subsets.append(subset)
      }
    }
    while subsets.count < seeded { subsets.append((0..<count).map { _ in Bool.random(using: &random) }) }
    return subsets
  }
}
