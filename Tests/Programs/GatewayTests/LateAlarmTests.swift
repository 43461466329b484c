import Clocks
import Testing

@testable import Gateway

private func at(_ seconds: Int) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

@Test func `a deadline that stays behind for long is put off from then on, and told once`() {
  var alarms = LateAlarms()
  for alarm in 1...100 {
    let isPutOff = alarms.rang(at: at(alarm), next: alarm.isMultiple(of: 2) ? at(alarm) : at(0))
    #expect(isPutOff == (alarm > LateAlarms.most))
  }
  let news = ["button", "light", "button"].map { alarms.news($0) }
  #expect(news == ["button", "light", nil])
}

@Test func `a few that stay behind are caught up with, and what is still to come is waited for`() {
  var alarms = LateAlarms()
  for alarm in 1...100 {
    let isCaughtUp = alarm.isMultiple(of: LateAlarms.most + 1)
    let next: MonotonicInstant? = isCaughtUp ? alarm.isMultiple(of: 2) ? nil : at(alarm + 1) : at(alarm - 1)
    let isPutOff = alarms.rang(at: at(alarm), next: next)
    #expect(!isPutOff)
  }
}
