import Clocks
import GNSS
import LineProtocol
import SeededNumbers
import Testing

@testable import Regions

private func named(_ name: String, radius: Double = 300, at metres: Double = 0) -> NamedPlace {
  try! NamedPlace(name: name, centre: east(metres), radius: radius)
}

/// Places that the app `parks` may know.
private func places(_ all: NamedPlace...) -> PlaceMonitor {
  var monitor = PlaceMonitor()
  for place in all { _ = monitor.add(place) }
  if !all.isEmpty { monitor.allow(all.map(\.name), to: "parks") }
  return monitor
}

extension PlaceMonitor {
  fileprivate mutating func stay(at metres: Double, from start: Double, to end: Double, accuracy: Double = 5) {
    for sample in RegionsTests.stay(at: metres, from: start, to: end, accuracy: accuracy) {
      update(east(sample.distance), accuracy: sample.accuracy, at: instant(sample.time))
    }
  }

  fileprivate mutating func ask(byPress: Bool = true, at time: Double) -> String? {
    answer(to: "parks", isByPress: byPress, at: instant(time))
  }
}

@Suite struct PlaceTests {
  @Test func `an app receives the name of the place, and otherwise away`() {
    for (metres, name) in [(0.0, "harbour"), (290, "harbour"), (310, "away"), (5000, "away")] {
      var monitor = places(named("harbour"))
      monitor.stay(at: metres, from: 0, to: 10)
      monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
      #expect(monitor.ask(at: 10) == name, "\(metres) m")
      #expect(monitor.ask(byPress: false, at: 10) == name, "\(metres) m")
    }
  }

  @Test func `a place that the app may not know counts as away`() {
    var monitor = places(named("harbour"))
    monitor.deny(["harbour"], to: "parks")
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
    #expect(monitor.ask(at: 10) == "away" && monitor.ask(byPress: false, at: 10) == "away")
    #expect(monitor.answer(to: "other", isByPress: true, at: instant(10)) == "away")
  }

  @Test func `of several places an app receives the smallest that it may know, and then the first name`() {
    let all = [named("town", radius: 5000), named("pier", radius: 100), named("harbour"), named("anchorage")]
    for (permitted, name) in [
      (["town", "pier", "harbour"], "pier"), (["town", "harbour"], "harbour"), (["town"], "town"),
      (["harbour", "anchorage"], "anchorage"), ([], "away"),
    ] {
      for order in [all, all.reversed()] {
        var monitor = PlaceMonitor()
        for place in order { #expect(monitor.add(place) == true) }
        monitor.allow(permitted, to: "parks")
        monitor.stay(at: 0, from: 0, to: 10)
        monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
        #expect(monitor.ask(at: 10) == name)
      }
    }
  }

  @Test func `the device leaves a place only outside the radius by 10 percent, and by 20 m at least`() {
    for (radius, ring, outside) in [(300.0, 324.0, 336.0), (100, 114, 126)] {
      var monitor = places(named("harbour", radius: radius))
      monitor.stay(at: 0, from: 0, to: 10)
      monitor.stay(at: ring, from: 20, to: 40)
      monitor.beginSlot(1, mayEvaluate: true, at: instant(40))
      #expect(monitor.ask(at: 40) == "harbour")
      monitor.stay(at: outside, from: 50, to: 70)
      monitor.beginSlot(2, mayEvaluate: true, at: instant(70))
      #expect(monitor.ask(at: 70) == "away")
      monitor.stay(at: ring, from: 80, to: 100)
      monitor.beginSlot(3, mayEvaluate: true, at: instant(100))
      #expect(monitor.ask(at: 100) == "away", "the ring is outside for a device that comes from outside")
    }
  }

  @Test func `an uncertain fix changes no side`() {
    var monitor = places(named("harbour"))
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.stay(at: 900, from: 11, to: 40, accuracy: 700)
    monitor.beginSlot(1, mayEvaluate: true, at: instant(40))
    #expect(monitor.ask(at: 40) == "harbour")
  }

  @Test func `an answer for a press needs fixes over 10 s, the last of them within a minute`() {
    var monitor = places(named("harbour"))
    #expect(monitor.ask(at: 0) == nil)
    monitor.stay(at: 0, from: 0, to: 9)
    #expect(monitor.ask(at: 9) == nil)
    monitor.stay(at: 0, from: 10, to: 10)
    #expect(!monitor.isSettled(at: instant(70.1)) && monitor.isSettled(at: instant(70)))
    #expect(monitor.ask(at: 10) == "harbour")
    monitor.beginSlot(1, mayEvaluate: false, at: instant(11))
    _ = monitor.add(named("pier", radius: 100))
    #expect(monitor.ask(at: 12) == nil, "the sides of the new place are not known yet")
    monitor.stay(at: 0, from: 100, to: 105)
    #expect(monitor.ask(at: 105) == nil, "the fixes before the gap do not count")
  }

  @Test func `without a press the answer changes only at the beginning of a slot`() {
    var monitor = places(named("harbour"))
    monitor.stay(at: 0, from: 0, to: 10)
    #expect(monitor.ask(byPress: false, at: 10) == nil)
    monitor.beginSlot(1, mayEvaluate: false, at: instant(10))
    #expect(monitor.ask(byPress: false, at: 10) == nil)
    monitor.beginSlot(2, mayEvaluate: true, at: instant(10))
    #expect(monitor.ask(byPress: false, at: 10) == "harbour")
    monitor.stay(at: 5000, from: 20, to: 60)
    #expect(monitor.ask(byPress: false, at: 60) == "harbour")
    monitor.beginSlot(3, mayEvaluate: true, at: instant(60))
    #expect(monitor.ask(byPress: false, at: 60) == "away")
  }

  @Test func `the first answer in a slot stays, for presses and without`() {
    for isFirstByPress in [false, true] {
      var monitor = places(named("harbour"))
      monitor.stay(at: 0, from: 0, to: 10)
      monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
      monitor.beginSlot(2, mayEvaluate: false, at: instant(10))
      monitor.stay(at: isFirstByPress ? 5000 : 0, from: 11, to: 40)
      let first = monitor.ask(byPress: isFirstByPress, at: 40)
      #expect(first == (isFirstByPress ? "away" : "harbour"))
      monitor.stay(at: 5000, from: 41, to: 80)
      for time in [80.0, 81] {
        for isByPress in [true, false] { #expect(monitor.ask(byPress: isByPress, at: time) == first) }
      }
      monitor.beginSlot(3, mayEvaluate: true, at: instant(81))
      #expect(monitor.ask(at: 81) == "away")
    }
  }

  @Test func `one app's answer has no effect on the answer of another app`() {
    var monitor = places(named("harbour"))
    monitor.allow(["harbour"], to: "other")
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.beginSlot(1, mayEvaluate: false, at: instant(10))
    #expect(monitor.ask(at: 10) == "harbour")
    monitor.stay(at: 5000, from: 11, to: 40)
    #expect(monitor.answer(to: "other", isByPress: true, at: instant(40)) == "away")
    #expect(monitor.ask(at: 40) == "harbour")
  }

  @Test func `a name that the owner denies or removes becomes away immediately`() {
    for isRemoved in [false, true] {
      var monitor = places(named("harbour"), named("pier", radius: 100))
      monitor.stay(at: 0, from: 0, to: 10)
      monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
      #expect(monitor.ask(at: 10) == "pier")
      if isRemoved { monitor.remove("pier") } else { monitor.deny(["pier"], to: "parks") }
      #expect(monitor.ask(at: 10) == "away", "another name would be a second change in this slot")
      if !isRemoved { monitor.allow(["pier"], to: "parks") }
      #expect(monitor.ask(at: 11) == "away")
      monitor.beginSlot(2, mayEvaluate: true, at: instant(12))
      #expect(monitor.ask(byPress: false, at: 12) == (isRemoved ? "harbour" : "pier"))
    }
  }

  @Test func `a place that is removed and added again is known to no app`() {
    var monitor = places(named("harbour"))
    monitor.remove("harbour")
    #expect(monitor.add(named("harbour")) == true)
    #expect(monitor.apps(knowing: "harbour") == [])
  }

  @Test func `names without a new fix are in force for a day of slots, also if the clock goes back`() {
    for isBack in [false, true] {
      var monitor = places(named("harbour"))
      monitor.stay(at: 0, from: 0, to: 10)
      monitor.beginSlot(1000, mayEvaluate: true, at: instant(10))
      for slot in 1...96 as ClosedRange<Int64> {
        monitor.beginSlot(isBack ? 1000 - slot : 1000 + slot, mayEvaluate: true, at: instant(Double(slot) * 900))
        #expect(monitor.ask(byPress: false, at: Double(slot) * 900) == "harbour", "\(slot)")
      }
      monitor.beginSlot(isBack ? 1 : 1097, mayEvaluate: true, at: instant(97 * 900))
      #expect(monitor.ask(byPress: false, at: 97 * 900) == nil)
    }
    var monitor = places(named("harbour"))
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.beginSlot(1000, mayEvaluate: true, at: instant(10))
    for slot in [1097, Int64.max, .min] {
      var later = monitor
      later.beginSlot(slot, mayEvaluate: false, at: instant(20))
      #expect((later.ask(byPress: false, at: 20) == nil) == (slot > 0), "\(slot)")
    }
  }

  @Test func `there are at most 32 places, and a place with the same name replaces the first`() {
    var monitor = PlaceMonitor()
    for number in 0..<32 { #expect(monitor.add(named("p\(number)")) == true) }
    #expect(monitor.add(named("one-more")) == false)
    #expect(monitor.add(named("p7", radius: 500)) == true)
    #expect(monitor.places.count == 32 && monitor.places.last?.radius == 500)
  }

  @Test func `a moved circle keeps no answer, until fixes show on which side the device is`() {
    var monitor = places(named("harbour"), named("town", radius: 5000))
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
    #expect(monitor.ask(at: 10) == "harbour")
    #expect(monitor.add(named("harbour", at: 40_000)) == true)
    #expect(monitor.ask(at: 10) == "away", "another name would be a second change in this slot")
    monitor.beginSlot(2, mayEvaluate: false, at: instant(11))
    #expect(monitor.ask(byPress: false, at: 11) == "town")
    monitor.beginSlot(3, mayEvaluate: false, at: instant(12))
    monitor.stay(at: 40_000, from: 100, to: 112)
    #expect(monitor.ask(at: 112) == "harbour")
  }

  @Test func `a place that is removed and added at another position has no old answer`() {
    var monitor = places(named("harbour"))
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
    monitor.remove("harbour")
    _ = monitor.add(named("harbour", at: 40_000))
    monitor.allow(["harbour"], to: "parks")
    #expect(monitor.ask(byPress: false, at: 10) == "away")
  }

  @Test func `the same circle again changes no answer`() {
    var monitor = places(named("harbour"))
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
    #expect(monitor.ask(at: 10) == "harbour")
    #expect(monitor.add(named("harbour")) == true)
    #expect(monitor.ask(at: 11) == "harbour")
  }

  @Test func `forgotten sides give no old name after uncertain fixes`() {
    var monitor = places(named("harbour"))
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.beginSlot(1, mayEvaluate: false, at: instant(10))
    monitor.forgetSides()
    #expect(monitor.ask(at: 11) == nil)
    monitor.stay(at: 900, from: 12, to: 30, accuracy: 700)
    #expect(monitor.ask(at: 30) == "away")
  }

  // MARK: Random movements

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

    private func name(_ names: Set<String>) -> String {
      let all = names.intersection(known).compactMap { name in circles[name].map { ($0.radius, name) } }
      return all.min { $0 < $1 }?.1 ?? "away"
    }

    mutating func answer(byPress: Bool) -> String? {
      if let said { return said }
      said = byPress ? isSettled ? name(inside) : nil : force.map { name($0) }
      return said
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
      var (time, slot) = (0.0, Int64(0))
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
          model.said = nil
          if isBoundary, model.isSettled { model.force = model.inside }
        case 4:
          monitor = try #require(PlaceMonitor(encoded: monitor.encoded()), "seed \(seed): the places cannot be read")
          model.isSettled = false
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
          let answer = monitor.ask(byPress: isByPress, at: time)
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

  @Test func `decoding gives the encoded places, answers and names in force`() throws {
    for monitor in [PlaceMonitor(), places(named("harbour")), example] {
      let bytes = monitor.encoded()
      let read = try #require(PlaceMonitor(encoded: bytes))
      #expect(read.encoded() == bytes)
      #expect(read.places == monitor.places && read.answers == monitor.answers && read.slot == monitor.slot)
      #expect(read.inForce?.names == monitor.inForce?.names && read.inForce?.age == monitor.inForce?.age)
    }
  }

  @Test func `after a restart in the same slot an app receives the same name`() throws {
    var read = try #require(PlaceMonitor(encoded: example.encoded()))
    read.stay(at: 5000, from: 1000, to: 1030)
    #expect(read.ask(at: 1030) == "a.b-c_D" || read.ask(at: 1030) == "harbour")
    #expect(read.ask(at: 1030) == example.answers["parks"])
  }

  @Test func `every truncation of places gives nil, and every changed byte gives nil or these bytes`() {
    let bytes = example.encoded()
    for length in 0..<bytes.count { #expect(PlaceMonitor(encoded: Array(bytes[..<length])) == nil) }
    #expect(PlaceMonitor(encoded: bytes + [0]) == nil)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        if let read = PlaceMonitor(encoded: changed) { #expect(read.encoded() == changed) }
      }
    }
  }
}
