import Base
import SeededNumbers
import Testing

@Suite struct BackoffTests {
  private static let chances = [0, 0.25, 0.5, 0.999_999]

  @Test func `a delay is between half and all of its step, grows with the chance, and its step doubles to the longest`()
  {
    var numbers = SplitMix64(seed: 1)
    for _ in 0..<200 {
      let backoff = Backoff(
        first: .milliseconds(.random(in: 1...5000, using: &numbers)),
        longest: .milliseconds(.random(in: 1...100_000, using: &numbers)))
      var step = backoff.first
      for attempts in 0..<100 {
        let chances = (Self.chances + [.random(in: 0..<1, using: &numbers)]).sorted()
        let delays = chances.map { backoff.delay(after: attempts, chance: $0) }
        #expect(
          delays.allSatisfy { $0 > .zero && $0 >= step / 2 && $0 <= step && $0 <= backoff.longest },
          "\(backoff) \(attempts) \(chances)")
        #expect(delays == delays.sorted() && Set(delays).count == delays.count)
        step = min(step * 2, backoff.longest)
      }
    }
  }

  @Test func `four attempts with the default delays take less than the grace period of five seconds`() {
    let backoff = Backoff()
    let waited = (0..<4).map { backoff.delay(after: $0, chance: 1) }.reduce(Duration.zero, +)
    #expect(waited < .seconds(5))
  }

  @Test func `values that are set later are limited too`() {
    var backoff = Backoff()
    backoff.longest = .zero
    #expect(backoff.longest == backoff.first)
    backoff.first = .seconds(5)
    #expect(backoff.longest == .seconds(5))
    backoff.first = .zero
    #expect(backoff == Backoff(first: .zero, longest: .seconds(5)) && backoff.first > .zero)
  }

  @Test(arguments: [(-1, -1.0), (.max, 2.0), (0, .infinity)])
  func `arguments out of range result in a delay`(attempts: Int, chance: Double) {
    for backoff in [
      Backoff(first: .zero, longest: .zero), Backoff(first: .seconds(9), longest: .seconds(1)), Backoff(),
    ] {
      let delay = backoff.delay(after: attempts, chance: chance)
      #expect(delay > .zero && delay <= backoff.longest)
    }
  }
}
