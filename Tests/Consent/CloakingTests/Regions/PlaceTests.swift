import Base
import GNSS
import LineProtocol
import Testing

@testable import Cloaking

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

  @Test func `an answer of an earlier boot is given by a press only where it is true, and the first press decides`() {
    for (first, isTrue) in [(0.0, true), (5000, false)] {
      var monitor = places(named("harbour"))
      monitor.stay(at: 0, from: 0, to: 10)
      monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
      #expect(monitor.ask(at: 10) == "harbour")
      var later = PlaceMonitor(encoded: monitor.encoded())!
      later.resumeSlot(2)
      func press(at time: Double) -> String? {
        later.answer(to: "parks", isByPress: true, isFormer: true, at: instant(time))
      }
      #expect(press(at: 0) == nil, "the side is not known yet")
      for (number, metres) in [first, 0, 5000].enumerated() {
        let time = Double(number * 100)
        later.stay(at: metres, from: time, to: time + 20)
        #expect(press(at: time + 20) == (isTrue ? "harbour" : nil))
      }
      let standing = later.answer(to: "parks", isByPress: false, isFormer: true, at: instant(300))
      #expect(standing == "harbour")
      let other = later.answer(to: "other", isByPress: true, isFormer: true, at: instant(220))
      #expect(other == "away", "an app without an answer gets its first one")
    }
  }

  @Test func `without a press, an answer of an earlier boot is given for a day`() {
    for (slot, isKnown) in [(96, true), (97, true), (98, false)] as [(Int64, Bool)] {
      var monitor = places(named("harbour"))
      monitor.stay(at: 0, from: 0, to: 10)
      monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
      #expect(monitor.ask(at: 10) == "harbour")
      var later = PlaceMonitor(encoded: monitor.encoded())!
      later.resumeSlot(slot)
      let answer = later.answer(to: "parks", isByPress: false, isFormer: true, at: instant(20))
      #expect(answer == (isKnown ? "harbour" : nil))
    }
  }

  @Test(arguments: [(60.0, true), (60.1, false)])
  func `fixes belong together for an answer if they are at most a minute apart`(gap: Double, isSettled: Bool) {
    var monitor = places(named("harbour"))
    monitor.stay(at: 0, from: 0, to: 5)
    monitor.stay(at: 0, from: 5 + gap, to: 5 + gap)
    #expect(monitor.isSettled(at: instant(5 + gap)) == isSettled)
  }
}
