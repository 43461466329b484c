import Base
import Testing

@testable import Gateway

private func at(_ seconds: Int) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

@Test func `a deadline that stays in the past is put off after ten alarms, and reported once`() {
  var overdue = OverdueTimerGuard()
  for alarm in 1...100 {
    let isPutOff = overdue.check(alarm.isMultiple(of: 2) ? at(alarm) : at(0), at: at(alarm))
    #expect(isPutOff == (alarm > OverdueTimerGuard.most))
  }
  let reports = (0..<2).map { _ in overdue.isNew() }
  #expect(reports == [true, false])
}

@Test func `a few overdue deadlines are handled at once, and a deadline ahead is kept`() {
  var overdue = OverdueTimerGuard()
  for alarm in 1...100 {
    let isCaughtUp = alarm.isMultiple(of: OverdueTimerGuard.most + 1)
    let next: MonotonicInstant? = isCaughtUp ? alarm.isMultiple(of: 2) ? nil : at(alarm + 1) : at(alarm - 1)
    let isPutOff = overdue.check(next, at: at(alarm))
    #expect(!isPutOff)
  }
}
