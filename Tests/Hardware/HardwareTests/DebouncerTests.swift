import Base
import Hardware
import SeededNumbers
import Testing

private func at(_ milliseconds: Int64, _ nanoseconds: Int64 = 0) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000 + nanoseconds)
}

/// Returns the actions for alternating edges at the given times, beginning with an active one.
private func acts(_ times: [MonotonicInstant]) -> [ButtonAct] {
  var debouncer = Debouncer(initially: .inactive, at: at(-1000))
  let edges = zip(times.indices, times).map { Edge($0.isMultiple(of: 2) ? .active : .inactive, at: $1) }
  return edges.flatMap { debouncer.handle($0) } + debouncer.advance(to: at(100_000))
}

private func down(_ time: Int64) -> ButtonAct { .down(at: at(time)) }
private func pressed(_ down: Int64, _ up: Int64) -> ButtonAct { .pressed(down: at(down), up: at(up)) }
private func held(_ down: Int64, _ multiple: Int) -> ButtonAct {
  .held(down: at(down), at: at(down + 3000 * Int64(multiple)), multiple: multiple)
}

private func stuck(_ since: Int64) -> ButtonAct { .stuck(since: at(since)) }
private func recovered(_ time: Int64) -> ButtonAct { .recovered(at: at(time)) }

private let trains: [(String, [Int64], [ButtonAct])] = [
  ("a press and a release that bounce", [0, 1, 2, 4, 5, 100, 101, 103, 104, 106], [down(0), pressed(0, 100)]),
  (
    "1 ms before it is stuck", [0, 59_999, 61_000, 61_100],
    [down(0), held(0, 1), held(0, 2), down(61_000), pressed(61_000, 61_100)]
  ),
  ("stuck", [0, 70_000], [down(0), held(0, 1), held(0, 2), stuck(0), recovered(70_000)]),
  (
    "a stuck contact that bounces when it comes free", [0, 70_000, 70_004, 70_009, 71_000, 71_100],
    [down(0), held(0, 1), held(0, 2), stuck(0), recovered(70_000), down(71_000), pressed(71_000, 71_100)]
  ),
  ("stuck for ever", [0], [down(0), held(0, 1), held(0, 2), stuck(0)]),
]

@Test(arguments: trains)
func `edges result in the expected actions`(name: String, times: [Int64], expected: [ButtonAct]) {
  #expect(acts(times.map { at($0) }) == expected, "\(name)")
}

@Test func `the limits between a glitch, a press and a hold are exact to a nanosecond`() {
  for (length, expected) in [
    (at(20, -1), [down(0), .abandoned]), (at(20), [down(0), pressed(0, 20)]),
    (at(3000, -1), [down(0), .pressed(down: at(0), up: at(3000, -1))]), (at(3000), [down(0), held(0, 1)]),
  ] {
    #expect(acts([at(0), length]) == expected)
  }
}

@Test func `a release takes effect immediately, and a hold when its time is reached`() {
  var debouncer = Debouncer(initially: .inactive, at: at(-1000))
  #expect(debouncer.handle(Edge(.active, at: at(0))) == [down(0)])
  #expect(debouncer.handle(Edge(.inactive, at: at(100))) == [pressed(0, 100)])
  #expect(debouncer.handle(Edge(.active, at: at(200))) == [down(200)])
  #expect(debouncer.nextDeadline == at(3200))
  #expect(debouncer.advance(to: at(3200, -1)) == [])
  #expect(debouncer.advance(to: at(3200)) == [held(200, 1)])
  #expect(debouncer.nextDeadline == at(6200))
  #expect(debouncer.advance(to: at(6200)) == [held(200, 2)])
  #expect(debouncer.nextDeadline == at(60_200), "then it is stuck")
}

@Test(arguments: [LineActivity.inactive, .active])
func `lost events abandon a press and end a hold, and later edges count again`(now: LineActivity) {
  var debouncer = Debouncer(initially: .inactive, at: at(-1000))
  #expect(debouncer.loseEdges(now: .inactive, at: at(-500)) == [], "no action is in progress")
  #expect(debouncer.handle(Edge(.active, at: at(0))) == [down(0)])
  #expect(debouncer.loseEdges(now: now, at: at(1000)) == [.abandoned])
  #expect(debouncer.advance(to: at(1500)) == [])
  #expect(debouncer.nextDeadline == (now == .active ? at(61_000) : nil))
  #expect(debouncer.handle(Edge(.inactive, at: at(1600))) == [])
  #expect(debouncer.handle(Edge(.active, at: at(2000))) == [down(2000)])
  #expect(debouncer.handle(Edge(.inactive, at: at(2100))) == [pressed(2000, 2100)])
  #expect(debouncer.handle(Edge(.active, at: at(3000))) == [down(3000)])
  #expect(debouncer.advance(to: at(6000)) == [held(3000, 1)])
  #expect(debouncer.loseEdges(now: now, at: at(6500)) == [], "a hold ends without a further action")
  #expect(debouncer.advance(to: at(60_000)) == [])
}

@Test func `a line that is active at the start and soon released is never stuck`() {
  var debouncer = Debouncer(initially: .active, at: at(-1000))
  #expect(debouncer.handle(Edge(.inactive, at: at(100))) == [] && debouncer.advance(to: at(100_000)) == [])
}

@Test func `an edge that is not later than the last counts as simultaneous with it`() {
  var debouncer = Debouncer(initially: .inactive, at: at(-1000))
  #expect(debouncer.handle(Edge(.active, at: at(100))) == [down(100)])
  #expect(debouncer.handle(Edge(.inactive, at: at(100))) == [])
  #expect(debouncer.handle(Edge(.active, at: at(50))) == [])
  #expect(debouncer.handle(Edge(.active, at: at(90))) == [], "an edge that repeats the level is none")
  #expect(debouncer.handle(Edge(.inactive, at: at(150))) == [pressed(100, 150)])
  var earlier = Debouncer(initially: .inactive, at: at(1000))
  #expect(earlier.handle(Edge(.active, at: at(0))) == [down(1000)])
}

// MARK: Properties

extension SplitMix64 {
  /// Returns a random time between two edges in milliseconds: bounces, glitches, presses, holds.
  fileprivate mutating func gap() -> Int64 {
    let around: [Int64] = [19, 20, 21, 999, 1000, 1001, 1999, 2000, 2001]
    return switch Int.random(in: 0..<12, using: &self) {
    case 0..<5: Int64.random(in: 1...5, using: &self)
    case 5..<8: Int64.random(in: 6...60, using: &self)
    case 8, 9: Int64.random(in: 61...400, using: &self)
    default: around.randomElement(using: &self)!
    }
  }
}

/// A reference implementation that samples the line once a millisecond. `levels` is the level after each millisecond.
private func sampled(_ levels: [Bool], quiet: Int, hold: Int) -> [ButtonAct] {
  var acts: [ButtonAct] = []
  var (isDown, counts, holds, downAt, deafUntil) = (levels[0], !levels[0], 0, 0, 0)
  func began(_ time: Int) -> Int {
    var start = time
    while start > 0, levels[start - 1] == levels[time] { start -= 1 }
    return start
  }
  func look(at index: Int, _ time: Int) {
    guard time >= deafUntil, levels[index] != isDown else { return }
    let since = began(index)
    isDown.toggle()
    deafUntil = since + quiet
    if isDown {
      (counts, holds, downAt) = (true, 0, since)
      acts.append(down(Int64(since)))
    } else if counts, holds == 0 {
      let active = levels[downAt..<since].count { $0 }
      acts.append(active >= 20 ? pressed(Int64(downAt), Int64(since)) : .abandoned)
    }
  }
  for time in 1..<levels.count {
    // The end of an action is processed before the beginning of the next.
    look(at: time - 1, time)
    if isDown, counts, holds < 2, time == downAt + hold * (holds + 1) {
      holds += 1
      acts.append(.held(down: at(Int64(downAt)), at: at(Int64(time)), multiple: holds))
    }
    look(at: time, time)
  }
  return acts
}

@Test func `random edges result in the same actions as sampling once a millisecond`() {
  var random = SplitMix64(seed: 7)
  var counts = (presses: 0, holds: 0, glitches: 0)
  for number in 0..<3000 {
    let quiet = [0, 1, 5, 20, 50, 200].randomElement(using: &random)!
    let timing = Debouncer.Timing(quiet: .milliseconds(quiet), hold: .seconds(1))
    let initially = Bool.random(using: &random)
    var levels = [Bool](repeating: initially, count: 10)
    var debouncer = Debouncer(timing: timing, initially: initially ? .active : .inactive, at: at(0))
    var actual: [ButtonAct] = []
    for _ in 0..<Int.random(in: 1...16, using: &random) {
      let level = !levels.last!
      actual += debouncer.handle(Edge(level ? .active : .inactive, at: at(Int64(levels.count))))
      levels += [Bool](repeating: level, count: Int(random.gap()))
    }
    levels += [Bool](repeating: levels.last!, count: 2500)
    actual += debouncer.advance(to: at(Int64(levels.count - 1)))
    let expected = sampled(levels, quiet: quiet, hold: 1000)
    for act in expected {
      switch act {
      case .pressed: counts.presses += 1
      case .held: counts.holds += 1
      case .abandoned: counts.glitches += 1
      case .down, .stuck, .recovered: break
      }
    }
    guard actual == expected else {
      Issue.record("train \(number), quiet \(quiet): \(actual), sampled \(expected)")
      return
    }
  }
  #expect(counts.presses > 1000 && counts.holds > 1000 && counts.glitches > 1000, "\(counts)")
}

@Test func `each activation is a press, a hold or nothing, however often the time advances`() {
  var random = SplitMix64(seed: 11)
  for number in 0..<20_000 {
    let quiet = Int64.random(in: 0...200, using: &random)
    let timing = Debouncer.Timing(quiet: .milliseconds(quiet), hold: .seconds(1))
    let initially = Bool.random(using: &random) ? LineActivity.active : .inactive
    var coarse = Debouncer(timing: timing, initially: initially, at: at(0))
    var fine = coarse
    var time: Int64 = 0
    var (coarseActs, fineActs): ([ButtonAct], [ButtonAct]) = ([], [])
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let before = time
      // Levels may repeat, and times may be equal or go back.
      let nanoseconds = Int64.random(in: -1...1, using: &random)
      let gap = random.gap() * 1_000_000 + nanoseconds
      time = Int.random(in: 0..<8, using: &random) == 0 ? max(0, time - gap) : time + gap
      let activity: LineActivity = Bool.random(using: &random) ? .active : .inactive
      let edge = Edge(activity, at: MonotonicInstant(nanoseconds: time))
      for step in stride(from: Int64(0), to: 4, by: 1) where time > before {
        fineActs += fine.advance(to: MonotonicInstant(nanoseconds: before + (time - before) / 4 * step))
      }
      if let deadline = fine.nextDeadline, deadline <= edge.timestamp { fineActs += fine.advance(to: deadline) }
      coarseActs += coarse.handle(edge)
      fineActs += fine.handle(edge)
    }
    while let deadline = fine.nextDeadline { fineActs += fine.advance(to: deadline) }
    coarseActs += coarse.advance(to: MonotonicInstant(nanoseconds: .max))
    if coarseActs != fineActs || !isWellFormed(coarseActs) || coarse.nextDeadline != nil {
      Issue.record("train \(number): \(coarseActs), in steps \(fineActs)")
      return
    }
  }
}

/// Whether the actions are valid: down, then a press of at least 20 ms and less than the hold time, a glitch, or one or
/// two holds, then possibly stuck until it recovers.
private func isWellFormed(_ acts: [ButtonAct]) -> Bool {
  var since: MonotonicInstant?
  var lastDown = MonotonicInstant(nanoseconds: 0)
  var holds = 0
  var isStuck = false
  for act in acts {
    if isStuck, case .recovered = act {} else if isStuck { return false }
    switch act {
    case .down(let at):
      guard since == nil || holds > 0, at >= lastDown else { return false }
      (since, lastDown, holds) = (at, at, 0)
    case .abandoned:
      guard since != nil, holds == 0 else { return false }
      since = nil
    case .pressed(let down, let up):
      guard since == down, holds == 0, up - down >= .milliseconds(20), up - down < .seconds(1) else { return false }
      since = nil
    case .held(let down, let at, let multiple):
      guard since == down, multiple == holds + 1, multiple <= 2, at == down + .seconds(1) * multiple else {
        return false
      }
      holds = multiple
    case .stuck:
      // After two holds, or for a line that was active at the start.
      guard since == nil || holds == 2, !isStuck else { return false }
      (since, isStuck) = (nil, true)
    case .recovered:
      guard isStuck else { return false }
      isStuck = false
    }
  }
  return true
}

@Test(arguments: [false, true])
func `a line that is active from the start is stuck after a minute, and works again after its release`(isLost: Bool) {
  var debouncer = Debouncer(initially: .active, at: at(0))
  #expect(debouncer.nextDeadline == at(60_000))
  #expect(debouncer.advance(to: at(60_000)) == [stuck(0)])
  if isLost { #expect(debouncer.loseEdges(now: .active, at: at(61_000)) == [], "the edges of the release get lost") }
  #expect(debouncer.isStuck && debouncer.nextDeadline == nil)
  let release =
    isLost ? debouncer.loseEdges(now: .inactive, at: at(80_000)) : debouncer.handle(Edge(.inactive, at: at(80_000)))
  #expect(release == [recovered(80_000)] && !debouncer.isStuck)
  #expect(debouncer.handle(Edge(.active, at: at(81_000))) == [down(81_000)])
}
