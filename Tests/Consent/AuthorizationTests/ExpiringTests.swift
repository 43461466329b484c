import AppStandings
import Base
import SeededNumbers
import Synchronization
import Testing

@testable import Authorization
import LineProtocol

/// A value that counts how often its instant is read.
private struct Watched: Expirable {
  let app = a
  static let reads = Atomic(0)

  var end: MonotonicInstant?

  var due: MonotonicInstant? {
    Self.reads.add(1, ordering: .relaxed)
    return end
  }
}

private struct Value: Expirable, Hashable {
  var app: AppID
  var due: MonotonicInstant?
}

private func at(_ seconds: Int) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000) }

@Suite(.serialized) struct ExpiringTests {
  @Test func `the next expiry and the values of an app are those of the present values, after any changes`() throws {
    for seed in UInt64(0)..<50 {
      var random = SplitMix64(seed: seed)
      var values = Expiring<Int, Value>()
      var model: [Int: Value] = [:]
      for _ in 0..<500 {
        let key = Int.random(in: 0..<20, using: &random)
        let app = [a, b, c].randomElement(using: &random)!
        switch Int.random(in: 0..<4, using: &random) {
        case 0: #expect(values.removeValue(forKey: key) == model.removeValue(forKey: key))
        case 1:
          (values[key], model[key]) = (Value(app: app, due: nil), Value(app: app, due: nil))
        default:
          let due = at(Int.random(in: 0..<9, using: &random))
          (values[key], model[key]) = (Value(app: app, due: due), Value(app: app, due: due))
        }
        #expect(values.nextDue == model.values.compactMap(\.due).min())
        #expect(values.count == model.count && values[key] == model[key])
        #expect(Set(values.apps) == Set(model.values.map(\.app)))
        #expect(values.keys(of: app) == model.filter { $0.value.app == app }.keys.sorted())
        if let due = values.nextDue {
          #expect(values.keys(dueAt: due) == Set(model.filter { $0.value.due == due }.keys))
        }
      }
    }
  }

  @Test func `a change costs the same with few values and with thousands of values`() {
    func reads(_ count: Int) -> Int {
      var values = Expiring<Int, Watched>()
      for key in 0..<count { values[key] = Watched(end: at(key % 100)) }
      let before = Watched.reads.load(ordering: .relaxed)
      for key in 0..<100 {
        values[key]?.end = at(1000)
        _ = values.nextDue
      }
      return Watched.reads.load(ordering: .relaxed) - before
    }
    #expect(reads(10_000) <= reads(100))
  }
}
