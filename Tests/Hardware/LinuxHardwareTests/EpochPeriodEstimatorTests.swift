import Base
import Testing

@testable import LinuxHardware

@Test func `three polls with data in a row halve the period, down to 40 ms`() {
  var estimator = EpochPeriodEstimator()
  var periods: [Duration] = []
  for poll in 1...18 as ClosedRange<Int64> {
    estimator.record(foundData: true, at: at(poll))
    if poll.isMultiple(of: 3) { periods.append(estimator.period) }
  }
  #expect(periods == [500_000, 250_000, 125_000, 62_500, 40_000, 40_000].map { .microseconds($0) })
  #expect(estimator.interval == .milliseconds(10))
}

@Test(
  arguments: [
    ([300, 400, 500], 1000), ([300, 400, 500, 600], 300), ([300, 400, 500, 600, 700], 400), ([30, 50, 50, 50], 40),
    ([41, 50, 50, 50], 41), ([999, 1100, 1100, 1100], 999), ([1001, 1100, 1100, 1100], 1000),
  ] as [([Int64], Int64)])
func `the period is the shortest of the latest four times between data, from 40 ms to 1 s`(
  times: [Int64], period: Int64
) {
  var estimator = EpochPeriodEstimator()
  var now = at(0)
  estimator.record(foundData: true, at: now)
  for time in times {
    estimator.record(foundData: false, at: now)
    now = now + .milliseconds(time)
    estimator.record(foundData: true, at: now)
  }
  #expect(estimator.period == .milliseconds(period))
}
