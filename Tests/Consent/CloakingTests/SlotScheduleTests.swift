import Base
import Testing

@testable import Cloaking

// The rules of the page "Names of places", section "When the name changes", to the nanosecond.

/// Returns an instant of the monotonic clock.
private func at(_ seconds: Int64, _ nanoseconds: Int64 = 0) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
}

/// Returns a time after 2026-11-21T07:30:00Z.
private func utc(_ seconds: Int64, _ nanoseconds: Int64 = 0) -> UTCTime {
  UTCTime(nanosecondsSince1970: (1_795_246_200 + seconds) * 1_000_000_000 + nanoseconds)
}

/// A schedule whose first slot begins at a quarter hour and ends at 900 s.
private func begun(phase: Int64 = 0) -> SlotSchedule {
  var schedule = SlotSchedule(phase: phase, boot: "1")
  _ = schedule.advance(to: at(0), utc: utc(0, phase))
  return schedule
}

/// The phase is in seconds.
@Test(
  arguments: [
    (0, utc(0), at(1000)), (0, utc(0, 1), at(999, 999_999_999)), (0, utc(899, 999_999_999), at(100, 1)),
    (0, utc(900), at(1000)), (7, utc(7), at(1000)), (7, utc(6, 999_999_999), at(100, 1)), (7, utc(0), at(107)),
  ] as [(Int64, UTCTime, MonotonicInstant)])
func `the first slot ends at the phase after a quarter hour, and once 15 minutes later if an app gets an answer`(
  phase: Int64, time: UTCTime, end: MonotonicInstant
) {
  var schedule = SlotSchedule(phase: phase * 1_000_000_000, boot: "1")
  #expect(schedule.advance(to: at(100), utc: time) == .began(isBoundary: false))
  #expect(schedule.end == end && schedule.begin == nil && !schedule.isAnswered)
  for _ in 1...2 {
    schedule.noteAnswer(at: at(100))
    #expect(schedule.end == end + .seconds(900) && schedule.isAnswered)
  }
}

/// The delays and the lengths are in nanoseconds.
@Test(
  arguments: [
    (0, 900_000_000_000), (60_000_000_000, 900_000_000_000), (60_000_000_001, 960_000_000_000),
    (840_000_000_000, 960_000_000_000), (840_000_000_001, 959_999_999_999), (899_999_999_999, 900_000_000_001),
  ] as [(Int64, Int64)])
func `a slot that begins more than a minute after an aligned time is up to a minute longer`(
  delay: Int64, length: Int64
) {
  for phase in [0, 7_000_000_000] as [Int64] {
    // The gateway may notice the beginning a few seconds late.
    for late in [0, 3_000_000_000] as [Int64] {
      var schedule = begun(phase: phase)
      let now = at(900, late)
      #expect(schedule.advance(to: now, utc: utc(900, phase + delay + late)) == .began(isBoundary: true))
      #expect(schedule.begin == at(900) && schedule.end == at(900, length))
      schedule.noteAnswer(at: now)
      #expect(schedule.end == at(900, length), "an answer makes only the first slot longer")
    }
  }
}

/// The delays are in nanoseconds, and the beginnings in seconds.
@Test(
  arguments: [
    (0, true, 900), (5_000_000_000, true, 900), (5_000_000_001, false, 900), (899_999_999_999, false, 900),
    (900_000_000_000, false, 1800),
  ] as [(Int64, Bool, Int64)])
func `a slot that begins up to 5 s after the end of the previous one is on time, and whole missed slots are left out`(
  late: Int64, isOnTime: Bool, begin: Int64
) {
  var schedule = begun()
  #expect(schedule.advance(to: at(899, 999_999_999), utc: utc(899, 999_999_999)) == nil)
  #expect(schedule.advance(to: at(900, late), utc: utc(900, late)) == .began(isBoundary: isOnTime))
  #expect(schedule.begin == at(begin) && schedule.end == at(begin + 900))
}

@Test func `after a restart of the daemon, a slot ends at its instant, which is at most 30 minutes later`() {
  // The longest slot is a first slot that begins at a quarter hour, with an answer.
  var schedule = begun()
  schedule.noteAnswer(at: at(0))
  for (saved, isResumed) in [
    (schedule.record, true), (SavedSlot(boot: "1", end: at(1800, 1)), false),
    (SavedSlot(boot: "2", end: at(900)), false),
    (SavedSlot(boot: "", end: at(900)), false), (SavedSlot(boot: "1", end: at(0)), false),
  ] {
    var restarted = SlotSchedule(resuming: saved, boot: "1")
    #expect((restarted.advance(to: at(0), utc: utc(0)) == .resumed) == isResumed, "\(saved)")
    #expect(restarted.end == (isResumed ? at(1800) : at(900)) && !restarted.isFormer)
    #expect(restarted.isAnswered == isResumed && restarted.begin == (saved.end == at(0) ? at(0) : nil))
  }
}

@Test func `without an identifier of the boot, a restart of the daemon counts as a restart of the machine`() {
  let saved = SavedSlot(boot: "", end: at(900), rest: .seconds(300), isAnswered: true)
  var restarted = SlotSchedule(resuming: saved, boot: "")
  #expect(restarted.advance(to: at(10), utc: utc(0)) == .resumed && restarted.end == at(300) && restarted.isFormer)
}

@Test func `after a restart of the machine, a slot with an answer lasts for its rest, and then a first slot begins`() {
  let saved = SavedSlot(boot: "1", end: at(99_999), rest: .seconds(300), isAnswered: true)
  var before = SlotSchedule(resuming: saved, boot: "2")
  #expect(before.isAnswered && before.record == saved)
  #expect(before.advance(to: at(299, 999_999_999), utc: utc(500)) == .resumed)
  #expect(before.end == at(300) && before.isFormer && before.isAnswered)
  #expect(before.record == SavedSlot(boot: "2", end: at(300), rest: .nanoseconds(1), isAnswered: true, isFormer: true))
  var after = SlotSchedule(resuming: saved, boot: "2")
  #expect(after.advance(to: at(300), utc: utc(500)) == .began(isBoundary: false))
  #expect(after.end == at(700) && !after.isFormer && !after.isAnswered && after.begin == nil)
}

@Test func `after a suspension of the machine, a slot with an answer may be old until it ends`() {
  var schedule = begun()
  schedule.noteSuspension()
  #expect(!schedule.isFormer, "there is no answer")
  schedule.noteAnswer(at: at(0))
  schedule.noteSuspension()
  #expect(schedule.isFormer && schedule.record.isFormer)
  _ = schedule.advance(to: at(1800), utc: utc(1800))
  #expect(!schedule.isFormer)
}

@Test func `the saved rest is at most 15 minutes and never negative, and a slot without an answer is not saved`() {
  var schedule = begun()
  #expect(schedule.record == SavedSlot())
  schedule.noteAnswer(at: at(0))
  #expect(schedule.record == SavedSlot(boot: "1", end: at(1800), rest: .seconds(900), isAnswered: true))
  _ = schedule.advance(to: at(900, 1), utc: utc(900, 1))
  #expect(schedule.record.rest == .seconds(900) - .nanoseconds(1))
  schedule.noteAnswer(at: at(1801))
  #expect(schedule.record.rest == .zero)
  _ = schedule.advance(to: at(1801), utc: utc(1801))
  #expect(schedule.record == SavedSlot(boot: "1", end: at(2700), rest: .seconds(899)))
}

@Test(
  arguments: [
    (0, 0, 0), (899_999_999_999, 0, 0), (900_000_000_000, 0, 1), (-1, 0, -1), (-900_000_000_000, 0, -1),
    (-900_000_000_001, 0, -2), (7_000_000_000, 7_000_000_000, 0), (6_999_999_999, 7_000_000_000, -1),
    (906_999_999_999, 7_000_000_000, 0), (907_000_000_000, 7_000_000_000, 1),
  ] as [(Int64, Int64, Int64)])
func `slots are counted from the phase after 1970, also before it`(time: Int64, phase: Int64, number: Int64) {
  #expect(SlotSchedule(phase: phase, boot: "1").number(of: UTCTime(nanosecondsSince1970: time)) == number)
}

// MARK: The saved slot

@Test func `a saved slot has the documented bytes`() {
  let slot = SavedSlot(
    boot: "b7", end: MonotonicInstant(nanoseconds: 0x0102_0304_0506_0708), rest: .seconds(900), isAnswered: true)
  #expect(
    slot.encoded == [2, 0x62, 0x37, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0xD1, 0x8C, 0x2E, 0x28, 0, 1])
  #expect(SavedSlot().encoded == [UInt8](repeating: 0, count: 18))
  #expect(SavedSlot(isFormer: true).encoded.last == 2)
  #expect(SavedSlot(isAnswered: true, isFormer: true).encoded.last == 3)
  #expect(SavedSlot.unknown.encoded == [UInt8](repeating: 0, count: 12) + [0xD1, 0x8C, 0x2E, 0x28, 0, 1])
}

@Test func `a saved slot with a rest up to 15 minutes and with known flags is read, and no other`() {
  for flags in 0...3 as ClosedRange<UInt8> {
    for rest in [0, 1, 900_000_000_000] as [Int64] {
      let slot = SavedSlot(
        boot: "b7", end: at(-1), rest: .nanoseconds(rest), isAnswered: flags & 1 == 1, isFormer: flags & 2 == 2)
      var reader = BigEndianReader(slot.encoded + [9])
      let read = SavedSlot(&reader)
      #expect(read == slot && reader.bytes == [9])
    }
  }
  for rest in [-1, 900_000_000_001, .max, .min] as [Int64] {
    var reader = BigEndianReader(SavedSlot(rest: .nanoseconds(rest)).encoded)
    let read = SavedSlot(&reader)
    #expect(read == nil)
  }
  for flags in [4, 8, 255] as [UInt8] {
    var reader = BigEndianReader(SavedSlot().encoded.dropLast() + [flags])
    let read = SavedSlot(&reader)
    #expect(read == nil)
  }
}
