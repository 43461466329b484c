import Authorization
import Base
import LineProtocol
import Testing

@testable import Disclosure
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

@Suite struct UpdateSchedulerTests {
  private func scheduler(_ requests: UInt64...) -> UpdateScheduler {
    var scheduler = UpdateScheduler()
    for request in requests {
      scheduler.add(stream(request))
    }
    return scheduler
  }

  private func stream(_ request: UInt64) -> UpdateStream {
    UpdateStream(RequestID(request), SessionID(request), of: a, UpdatesRequest())
  }

  @Test func `updates are served in the order in which they began`() {
    var scheduler = scheduler(1, 3, 4, 7, 8)
    #expect(scheduler.all.map(\.request.number) == [1, 3, 4, 7, 8])
    for removed in [4, 9, 1, 2] as [UInt64] { scheduler.remove(RequestID(removed)) }
    #expect(scheduler.all.map(\.request.number) == [3, 7, 8])
    #expect(scheduler[RequestID(1)] == nil && scheduler[RequestID(3)]?.session == SessionID(3))
  }

  @Test func `a few intervals are opened in one round, and the others in the next`() {
    var scheduler = scheduler(1)
    for _ in 0..<UpdateScheduler.mostIntervals {
      #expect(scheduler.mayOpenInterval)
      scheduler.noteOpenedInterval()
    }
    #expect(!scheduler.mayOpenInterval)
    scheduler.beginRound(ofAll: false)
    #expect(scheduler.mayOpenInterval)
  }

  @Test func `a postponed interval is due a millisecond later, until a round of all updates begins`() {
    var scheduler = scheduler(1)
    #expect(scheduler.nextDeadline(after: at(.zero)) == nil)
    scheduler.postponeInterval(at: at(.zero))
    #expect(scheduler.nextDeadline(after: at(.zero)) == at(.milliseconds(1)))
    #expect(!scheduler.isDue(at: at(.zero)) && scheduler.isDue(at: at(.milliseconds(1))))
    scheduler.beginRound(ofAll: false)
    #expect(scheduler.isDue(at: at(.milliseconds(1))))
    scheduler.beginRound(ofAll: true)
    #expect(!scheduler.isDue(at: at(.milliseconds(1))) && scheduler.nextDeadline(after: at(.zero)) == nil)
  }

  @Test func `an approximate fix is due at its quarter hour, and no deadline lies in the past`() throws {
    var scheduler = scheduler(1, 2)
    let stream = try #require(scheduler[RequestID(1)])
    var hours = stream.quarterHours
    let shown = hours.advance(clock().utc, at: at(.zero))
    #expect(shown == clock().utc)
    stream.passQuarterHour(hours)
    scheduler.schedule(stream)
    #expect(scheduler.nextDeadline(after: at(.zero)) == at(.seconds(450)))
    #expect(!scheduler.isDue(at: at(.seconds(449))) && scheduler.isDue(at: at(.seconds(450))))
    // It could not be sent: the light or the next event tries again.
    #expect(scheduler.nextDeadline(after: at(.seconds(450))) == nil)
    scheduler.remove(RequestID(1))
    #expect(!scheduler.isDue(at: at(.seconds(450))))
  }
}
