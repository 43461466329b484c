import Hardware
import Testing

private func pattern(_ phases: [Int], _ repetitions: Int? = nil) throws -> IndicatorPattern {
  try #require(IndicatorPattern(phases: phases.map { .milliseconds($0) }, repetitions: repetitions))
}

/// A reference implementation: whether a pattern is lit in the millisecond that begins at a time, counted phase by
/// phase.
private func isLit(_ phases: [Int], _ repetitions: Int?, _ time: Int) -> Bool {
  var (end, index, round) = (0, 0, 0)
  guard time >= 0, !phases.isEmpty else { return false }
  while true {
    end += phases[index]
    if time < end { return index % 2 == 0 }
    index += 1
    if index == phases.count { (index, round) = (0, round + 1) }
    if round == repetitions { return false }
  }
}

private let shapes: [([Int], Int?)] = [
  ([], nil), ([], 2), ([5], nil), ([5], 1), ([5], 3), ([2, 3], nil), ([2, 3], 1), ([2, 3], 2), ([1, 1], nil),
  ([2, 3, 4], nil), ([2, 3, 4], 1), ([2, 3, 4], 2), ([1, 2, 3, 4], nil), ([1, 2, 3, 4], 3), ([1, 2, 3, 1, 2], nil),
]

@Test(arguments: shapes)
func `an indicator follows its phases, and changes at the predicted time`(phases: [Int], repetitions: Int?) throws {
  let pattern = try pattern(phases, repetitions)
  for time in -3..<60 {
    let expected = isLit(phases, repetitions, time)
    let change = (time + 1...time + 60).first { isLit(phases, repetitions, $0) != expected }
    for part in [Duration.zero, .nanoseconds(1), .milliseconds(1) - .nanoseconds(1)] {
      let output = pattern.output(at: .milliseconds(time) + part)
      #expect(output.isLit == expected, "\(time)")
      #expect(output.until == change.map { .milliseconds($0) }, "\(time)")
    }
  }
}

@Test(arguments: Indication.allCases)
func `an indicator changes at the predicted nanosecond after a year`(indication: Indication) throws {
  let pattern = IndicatorPattern.standard(indication)
  for start in [Duration.seconds(86_400 * 365), .seconds(1_000_003), .milliseconds(123_456_789)] {
    var time = start
    for _ in 0..<20 {
      let output = pattern.output(at: time)
      guard let until = output.until else { break }
      try #require(until > time)
      #expect(pattern.output(at: until - .nanoseconds(1)).isLit == output.isLit)
      #expect(pattern.output(at: until - .nanoseconds(1)).until == until)
      #expect(pattern.output(at: until).isLit != output.isLit)
      time = until
    }
  }
}

@Test func `the phases of a pattern are longer than zero, and it runs at least once`() {
  #expect(IndicatorPattern(phases: [.zero]) == nil)
  #expect(IndicatorPattern(phases: [.seconds(1), .seconds(-1)]) == nil)
  #expect(IndicatorPattern(phases: [.seconds(1)], repetitions: 0) == nil)
  #expect(IndicatorPattern(phases: [.seconds(1)], repetitions: -1) == nil)
}

@Test func `the length, the duty cycle and the blink rate of a pattern are computed from its phases`() throws {
  let rows: [([Int], Int?, Duration?, Double?, Double)] = [
    ([], nil, .zero, nil, 0), ([1000], nil, nil, nil, 1), ([1000], 2, .seconds(2), nil, 1),
    ([250, 250], nil, nil, 2, 0.5), ([400, 400], 2, .milliseconds(1600), 1.25, 0.5), ([200, 1800], nil, nil, 0.5, 0.1),
    ([120, 120, 120, 640], nil, nil, 2, 0.24), ([80, 120], 1, .milliseconds(200), 5, 0.4),
    // The last lit phase merges with the first of the next round.
    ([100, 100, 300], nil, nil, 2, 0.8), ([100, 100, 300], 1, .milliseconds(500), 4, 0.8),
  ]
  for (phases, repetitions, length, blinks, duty) in rows {
    let pattern = try pattern(phases, repetitions)
    #expect(pattern.length == length && pattern.blinksPerSecond == blinks, "\(phases)")
    #expect(abs(pattern.duty - duty) < 1e-12, "\(phases)")
  }
}

@Test func `the standard patterns are different and legible`() {
  let patterns = Indication.allCases.map(IndicatorPattern.standard)
  #expect(Set(patterns).count == Indication.allCases.count)
  #expect(IndicatorProfile().restrictions == [])
  #expect(IndicatorPattern.standard(.locked).repetitions == 2)
}

/// The table of the light in Sources/Documentation/button.md.
@Test(
  arguments: [
    (.acquiring, 1, .milliseconds(500), nil), (.inUse, 1, .seconds(1), nil), (.background, 1, .seconds(2), nil),
    (.prompt, 2, .seconds(1), nil), (.locked, 1, .milliseconds(800), 2), (.nothingWaiting, 1, .milliseconds(200), 1),
    (.notSaved, 3, .seconds(2), nil),
  ] as [(Indication, Int, Duration, Int?)])
func `a standard pattern has its flashes in each period`(
  indication: Indication, flashes: Int, period: Duration, repetitions: Int?
) {
  let pattern = IndicatorPattern.standard(indication)
  let lit = stride(from: 0, to: pattern.phases.count, by: 2).map { pattern.phases[$0] }
  #expect(lit.count == flashes && Set(lit).count == 1, "the flashes of a pattern have the same length")
  #expect(pattern.phases.reduce(.zero, +) == period && pattern.repetitions == repetitions)
}

@Test func `an indicator without a configured brightness is fully lit, and other missing values have their defaults`() {
  let (indicator, button) = (IndicatorProfile(), ButtonProfile(name: "main"))
  #expect(indicator.brightness == 1 && indicator.onceDuration == .seconds(2))
  #expect("\(indicator.colour) \(indicator.panelColour)" == "#009dff #202020")
  #expect(button.doublePress == .milliseconds(400) && button.timing.hold == .seconds(3))
  #expect(button.timing.quiet == .milliseconds(20) && button.timing.shortestPress == .milliseconds(20))
}
