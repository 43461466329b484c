import Base
import LineProtocol
import Testing

@testable import Serving

@Test func `an app, or the clients without an app, cause at most one warning in ten minutes`() throws {
  let limiter = WarningLimiter()
  let (plotter, logger) = (try #require(AppID("plotter")), try #require(AppID("logger")))
  let begin = MonotonicInstant(nanoseconds: 0)
  let warned = (0..<1800).filter { limiter.allowsWarning(about: plotter, at: begin + .seconds($0)) }
  #expect(warned == [0, 600, 1200])
  #expect(!limiter.allowsWarning(about: plotter, at: begin + .seconds(1800) - .nanoseconds(1)))
  #expect(limiter.allowsWarning(about: plotter, at: begin + .seconds(1800)))
  #expect(limiter.allowsWarning(about: nil, at: begin + .seconds(1800)))
  #expect(!limiter.allowsWarning(about: nil, at: begin + .seconds(1800)))
  #expect(limiter.allowsWarning(about: logger, at: begin + .seconds(1800)))
}
