import Base
import Testing

@testable import Gateway

@Suite struct OverdueTimerGuardTests {
  @Test func `more than ten overdue deadlines in a row put each later alarm off`() {
    var timers = OverdueTimerGuard()
    for alarm in 1...100 {
      // The deadline is in the past, or is now.
      let isPutOff = timers.check(at(.seconds(alarm.isMultiple(of: 2) ? alarm : 0)), at: at(.seconds(alarm)))
      #expect(isPutOff == (alarm > 10))
    }
  }

  @Test(arguments: [at(.nanoseconds(1)), nil] as [MonotonicInstant?])
  func `a deadline ahead, or none, begins the count anew`(next: MonotonicInstant?) {
    var timers = OverdueTimerGuard()
    for _ in 0..<3 {
      for _ in 0..<OverdueTimerGuard.most {
        let isPutOff = timers.check(at(.zero), at: at(.zero))
        #expect(!isPutOff)
      }
      let isPutOff = timers.check(next, at: at(.zero))
      #expect(!isPutOff)
    }
  }

  @Test func `the fault is reported once`() {
    var timers = OverdueTimerGuard()
    let reports = (0..<3).map { _ in timers.isNew() }
    #expect(reports == [true, false, false])
  }
}
