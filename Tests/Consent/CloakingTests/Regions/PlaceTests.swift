import Base
import GNSS
import LineProtocol
import Testing

@testable import Cloaking

@Suite struct PlaceTests {
  @Test func `a place that the app may not know counts as away`() {
    var monitor = places(named("harbour"))
    monitor.deny(["harbour"], to: "parks")
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
    #expect(monitor.ask(at: 10) == "away" && monitor.ask(byPress: false, at: 10) == "away")
    #expect(monitor.answer(to: "other", isByPress: true, at: instant(10)) == "away")
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

  @Test func `names without a new fix are in force for a day of slots, also if the clock goes back`() {
    var begun = places(named("harbour"))
    begun.stay(at: 0, from: 0, to: 10)
    begun.beginSlot(1000, mayEvaluate: true, at: instant(10))
    // The clock goes on, goes back, or stands.
    for step in [1, -1, 0] as [Int64] {
      var monitor = begun
      for slot in 1...96 as ClosedRange<Int64> {
        monitor.beginSlot(1000 + step * slot, mayEvaluate: true, at: instant(Double(slot) * 900))
        #expect(monitor.ask(byPress: false, at: Double(slot) * 900) == "harbour", "\(slot)")
      }
      monitor.beginSlot(1000 + step * 97, mayEvaluate: true, at: instant(97 * 900))
      #expect(monitor.ask(byPress: false, at: 97 * 900) == nil)
    }
    var restarted = begun
    for _ in 0..<100 { restarted.resumeSlot(1000) }
    #expect(restarted.ask(byPress: false, at: 20) == "harbour", "restarts within a slot")
    for slot in [1097, Int64.max, .min] {
      var later = begun
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

  @Test func `an uncertain fix changes no side, and gives no old name after the sides were forgotten`() {
    var monitor = places(named("harbour"))
    monitor.stay(at: 0, from: 0, to: 10)
    monitor.stay(at: 900, from: 11, to: 40, accuracy: 700)
    monitor.beginSlot(1, mayEvaluate: true, at: instant(40))
    #expect(monitor.ask(at: 40) == "harbour")
    monitor.beginSlot(2, mayEvaluate: false, at: instant(41))
    monitor.forgetSides()
    #expect(monitor.ask(at: 41) == nil)
    monitor.stay(at: 900, from: 42, to: 60, accuracy: 700)
    #expect(monitor.ask(at: 60) == "away")
  }

  @Test
  func `after a suspension of the machine, only new fixes over 10 s give an answer, and the first press checks it`() {
    for (metres, name) in [(0.0, "harbour"), (900, nil as String?)] {
      var monitor = places(named("harbour"))
      monitor.stay(at: 0, from: 0, to: 10)
      monitor.beginSlot(1, mayEvaluate: true, at: instant(10))
      #expect(monitor.ask(at: 10) == "harbour")
      monitor.noteSuspension(33)
      func press(_ time: Double) -> String? {
        monitor.answer(to: "parks", isByPress: true, isFormer: true, at: instant(time))
      }
      #expect(press(11) == nil && !monitor.isSettled(at: instant(11)))
      monitor.stay(at: metres, from: 12, to: 22)
      #expect(press(22) == name, "\(metres) m")
      // A name without a press is a day old, and not only minutes.
      monitor.noteSuspension(1 + 97)
      #expect(monitor.inForce == nil)
    }
  }

  @Test func `fixes belong together for an answer if they are at one instant or at most a minute apart`() {
    let series: [([Double], Bool)] = [([0, 10, 10], true), ([0, 5, 65], true), ([0, 5, 65.1], false)]
    for (times, isSettled) in series {
      var monitor = places(named("harbour"))
      for time in times { monitor.stay(at: 0, from: time, to: time) }
      #expect(monitor.isSettled(at: instant(times[2])) == isSettled, "\(times)")
    }
  }
}
