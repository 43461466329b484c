import Base
import GNSS
import LineProtocol
import SeededNumbers
import Testing

@testable import Cloaking

/// Random movements, and the encoding of places.
@Suite struct PlaceModelTests {
  /// A literal model of the rules of places, for one app.
  private struct Model {
    struct Circle: Hashable {
      /// The distance of the centre in metres.
      var metres: Double
      var radius: Double
    }

    var circles: [String: Circle] = [:]
    var known: Set<String> = []
    /// The circles in which the device is, as far as fixes showed it.
    var inside: Set<String> = []
    var isSettled = false
    var force: Set<String>?
    var said: String?
    /// Whether the slot began in an earlier boot of the machine.
    var isFormer = false
    /// Whether the first press in this boot showed that the answer is true; also true if this boot gave the answer.
    var isTrue: Bool?

    private func name(_ names: Set<String>) -> String {
      let all = names.intersection(known).compactMap { name in circles[name].map { ($0.radius, name) } }
      return all.min { $0 < $1 }?.1 ?? "away"
    }

    mutating func answer(byPress: Bool) -> String? {
      let new = byPress ? isSettled ? name(inside) : nil : force.map { name($0) }
      guard let said else {
        said = new
        if new != nil { isTrue = true }
        return new
      }
      guard isFormer, isTrue != true else { return said }
      guard byPress else { return force == nil ? nil : said }
      if isTrue == nil, let new { isTrue = new == said }
      return isTrue == true ? said : nil
    }

    mutating func withdraw(_ name: String, isCircle: Bool) {
      if said == name { said = "away" }
      guard isCircle else { return }
      inside.remove(name)
      force?.remove(name)
    }
  }

  @Test func `random movements, questions, restarts and orders of the owner give the names of the model`() throws {
    let names = ["harbour", "pier", "town"]
    var seen: Set<String> = []
    for seed in 0..<400 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var (monitor, model) = (PlaceMonitor(), Model())
      var (time, slot, evaluated) = (0.0, Int64(0), Int64(0))
      for step in 0..<60 {
        let name = names.randomElement(using: &random)!
        // The first steps define all places.
        switch step < names.count ? 6 : Int.random(in: 0..<13, using: &random) {
        case 0, 1, 2:
          // No distance to a circle is in the ring of its hysteresis.
          let metres = [0.0, 80, 250, 1000, 5040, 9000].randomElement(using: &random)!
          time += 100
          monitor.stay(at: metres, from: time, to: time + 12)
          time += 12
          model.isSettled = true
          model.inside = Set(model.circles.filter { abs($0.value.metres - metres) < $0.value.radius }.keys)
        case 3:
          let isBoundary = Bool.random(using: &random)
          slot += 1
          monitor.beginSlot(slot, mayEvaluate: isBoundary, at: instant(time))
          (model.said, model.isFormer, model.isTrue) = (nil, false, nil)
          if isBoundary, model.isSettled { (model.force, evaluated) = (model.inside, slot) }
          if slot - evaluated > 96 { model.force = nil }
        case 4:
          monitor = try #require(PlaceMonitor(encoded: monitor.encoded()), "seed \(seed): the places cannot be read")
          (model.isSettled, model.isTrue) = (false, nil)
          if Bool.random(using: &random) {
            monitor.resumeSlot(slot)
          } else {
            // The machine was off for some hours, or for more than a day.
            slot += [10, 97].randomElement(using: &random)!
            monitor.resumeSlot(slot)
            if slot - evaluated > 96 { model.force = nil }
            model.isFormer = true
          }
        case 5:
          monitor.forgetSides()
          (model.inside, model.isSettled) = ([], false)
        case 6:
          let added = step < names.count ? names[step] : name
          let circle = Model.Circle(
            metres: [0, 5000].randomElement(using: &random)!, radius: [100, 300, 3000].randomElement(using: &random)!)
          #expect(monitor.add(named(added, radius: circle.radius, at: circle.metres)) == true)
          guard model.circles[added] != circle else { break }
          model.withdraw(added, isCircle: true)
          model.circles[added] = circle
          model.isSettled = false
        case 7:
          monitor.remove(name)
          model.withdraw(name, isCircle: true)
          model.circles[name] = nil
          model.known.remove(name)
        case 8, 9:
          guard model.circles[name] != nil else { break }
          monitor.allow([name], to: "parks")
          model.known.insert(name)
        case 10:
          monitor.deny([name], to: "parks")
          model.known.remove(name)
          model.withdraw(name, isCircle: false)
        default:
          let isByPress = Bool.random(using: &random)
          let answer = monitor.answer(to: "parks", isByPress: isByPress, isFormer: model.isFormer, at: instant(time))
          #expect(answer == model.answer(byPress: isByPress), "seed \(seed), step \(step)")
          if let answer { seen.insert(answer) }
        }
      }
    }
    #expect(seen == ["pier", "harbour", "town", "away"])
  }

  // MARK: The encoding

  private var example: PlaceMonitor {
    var monitor = places(named("harbour"), named("a.b-c_D", radius: 99_999.5, at: -40_000))
    monitor.allow(["harbour"], to: "ferry")
    monitor.stay(at: 0, from: 0, to: 20)
    monitor.beginSlot(1_994_718, mayEvaluate: true, at: instant(20))
    _ = monitor.ask(at: 20)
    monitor.beginSlot(1_994_719, mayEvaluate: false, at: instant(20))
    _ = monitor.ask(byPress: false, at: 20)
    _ = monitor.answer(to: "stranger", isByPress: true, at: instant(20))
    return monitor
  }

  @Test func `places have the documented bytes`() throws {
    let none: [UInt8] = [
      1, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0,
    ]
    #expect(PlaceMonitor().encoded() == none)
    #expect(try #require(PlaceMonitor(encoded: none)).slot == nil)
    var monitor = PlaceMonitor()
    let (large, small) = (
      try NamedPlace(name: "ab", centre: coordinate(0.5, -0.25), radius: 300),
      try NamedPlace(name: "c", centre: coordinate(-0.25, 0.5), radius: 100)
    )
    #expect(monitor.add(PlaceMonitor.Entry(large)) == true)
    #expect(monitor.add(PlaceMonitor.Entry(small, side: .outside)) == true)
    monitor.allow(["c", "ab"], to: "z")
    monitor.allow(["c"], to: "y")
    monitor.slot = 258
    monitor.answers = ["z": "ab", "y": "away"]
    monitor.inForce = (names: ["c", "ab"], age: 96)
    #expect(monitor.encoded() == Self.golden)
    let read = try #require(PlaceMonitor(encoded: Self.golden))
    #expect(read.places == [small, large] && read.entries.map(\.border.side) == [.outside, nil])
    #expect(read.known == ["z": ["c", "ab"], "y": ["c"]] && read.slot == 258 && read.inForce?.age == 96)
  }

  /// The parts of the encoding, each with its count.
  private static let golden = Array(
    ([
      [1, 0, 2],
      [1, 0x63, 0xBF, 0xD0, 0, 0, 0, 0, 0, 0, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0, 0x40, 0x59, 0, 0, 0, 0, 0, 0, 2],
      [2, 0x61, 0x62, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0, 0xBF, 0xD0, 0, 0, 0, 0, 0, 0, 0x40, 0x72, 0xC0, 0, 0, 0, 0, 0, 0],
      [0, 2, 1, 0x79, 0, 1, 1, 0x63, 1, 0x7A, 0, 2, 2, 0x61, 0x62, 1, 0x63], [0, 0, 0, 0, 0, 0, 1, 2],
      [0, 2, 1, 0x79, 4, 0x61, 0x77, 0x61, 0x79, 1, 0x7A, 2, 0x61, 0x62],
      [0, 0, 0, 0, 0, 0, 0, 96, 0, 2, 2, 0x61, 0x62, 1, 0x63],
    ] as [[UInt8]]).joined())

  /// Returns the encoding of a count of places and of apps with their names, given as bytes, without answers.
  private func encoding(places count: Int, apps: [UInt8] = [0, 0]) -> [UInt8] {
    var bytes: [UInt8] = [1, 0, UInt8(count)]
    for number in 0..<count {
      bytes += [3, 0x70, UInt8(0x30 + number / 10), UInt8(0x30 + number % 10)]
      bytes += [UInt8](repeating: 0, count: 16)
      bytes += [0x40, 0x59, 0, 0, 0, 0, 0, 0, 0]
    }
    bytes += apps
    bytes += [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    bytes += [UInt8](repeating: 0xFF, count: 8)
    bytes += [0, 0]
    return bytes
  }

  @Test func `bytes that no gateway writes are rejected`() {
    // The names of the places are p00, p01 and so on.
    #expect(PlaceMonitor(encoded: encoding(places: 32)) != nil, "32 places")
    #expect(PlaceMonitor(encoded: encoding(places: 33)) == nil, "33 places")
    func change(_ index: Int, from old: UInt8, to new: UInt8) -> [UInt8] {
      var bytes = Self.golden
      #expect(bytes[index] == old)
      bytes[index] = new
      return bytes
    }
    for (what, bytes) in [
      ("an unknown version", change(0, from: 1, to: 2)), ("an unknown side", change(29, from: 2, to: 3)),
      ("names older than a day", change(Self.golden.count - 8, from: 96, to: 97)),
      ("an age without names", change(Self.golden.count - 15, from: 0, to: 0xFF)),
      ("an app without names", encoding(places: 1, apps: [0, 1, 1, 0x7A, 0, 0])),
    ] {
      #expect(PlaceMonitor(encoded: bytes) == nil, "\(what)")
    }
    var unknownAge = PlaceMonitor().encoded()
    unknownAge[unknownAge.count - 3] = 0xFE
    #expect(PlaceMonitor(encoded: unknownAge) == nil, "the age -2")
  }

  @Test func `every truncation of places gives nil, and every changed byte gives nil or these bytes`() {
    let bytes = example.encoded()
    for length in 0..<bytes.count { #expect(PlaceMonitor(encoded: Array(bytes[..<length])) == nil) }
    #expect(PlaceMonitor(encoded: bytes + [0]) == nil)
    for changed in flips(of: bytes) {
      if let read = PlaceMonitor(encoded: changed) { #expect(read.encoded() == changed) }
    }
  }
}
