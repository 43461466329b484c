package import Base
import NIOCore
package import NIOEmbedded
import OperatingSystem
package import SimulatedHardware
import Synchronization

/// The clock of a gateway under test. Time passes only when the test lets it pass, so no result depends on the speed of
/// the machine.
package final class BenchClock: Sendable {
  /// The event loop of the gateway, whose alarms ring when the time of this clock has come.
  package let eventLoop = NIOAsyncTestingEventLoop()
  private let start: ClockReading
  private let latest: Mutex<MonotonicInstant>
  /// The time by which the wall clock was set forward; negative if it was set back.
  private let step = Mutex(Duration.zero)
  private let suspended = Mutex(Duration.zero)

  package init() async {
    // Connections compare the expiry of a message with the machine's clock. A day ahead of it no message expires.
    // The wall clock starts at a fixed time, so that no result depends on the time of day. With the key of the tests,
    // no quarter hour and no slot (a period with one approximate position) ends in the first five minutes.
    let utc = UTCTime(iso8601: "2026-11-28T12:05:00.217Z")!
    start = ClockReading(monotonic: SystemClock.monotonic + .seconds(86_400), utc: utc)
    latest = Mutex(start.monotonic)
    await pass(until: start.monotonic)
  }

  /// The time. It does not go back while the event loop runs a task whose deadline was in the past.
  package var now: MonotonicInstant {
    let time = MonotonicInstant(nanoseconds: Int64(eventLoop.now.uptimeNanoseconds))
    return latest.withLock { latest in
      latest = max(latest, time)
      return latest
    }
  }

  package var reading: ClockReading {
    let (now, suspended) = (now, suspended.withLock { $0 })
    return ClockReading(
      monotonic: now, utc: start.utc(at: now + step.withLock { $0 } + suspended), suspended: suspended)
  }

  /// Sets the wall clock.
  package func set(_ utc: UTCTime) {
    let step = start.instant(at: utc) - now - suspended.withLock { $0 }
    self.step.withLock { $0 = step }
  }

  /// Suspends the machine. The wall clock continues, and the monotonic clock does not.
  package func suspend(_ duration: Duration) { suspended.withLock { $0 += duration } }

  /// Lets time pass. The gateway first handles all earlier inputs, and then each deadline at its time.
  package func pass(_ duration: Duration) async { await pass(until: now + duration) }

  /// Lets time pass without the alarms of the gateway, as if its event loop was busy.
  package func pass(withoutAlarms duration: Duration) {
    let now = now
    latest.withLock { $0 = now + duration }
  }

  private func pass(until instant: MonotonicInstant) async {
    await eventLoop.advanceTime(to: .uptimeNanoseconds(UInt64(instant.nanoseconds)))
  }

  /// Ends the event loop after the gateway has stopped.
  package func stop() async { await eventLoop.shutdownGracefully() }

  /// The clock of a device whose waits let the time pass.
  package var passing: SimulationClock {
    SimulationClock(reading: { self.reading }, sleep: { instant in await self.pass(until: instant) })
  }

  /// The clock of a device whose waits end when the test has let the time pass.
  package var waiting: SimulationClock {
    SimulationClock(
      reading: { self.reading },
      sleep: { [eventLoop] instant in
        let end = eventLoop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(instant.nanoseconds))) {}
        try await withTaskCancellationHandler {
          try await end.futureResult.get()
        } onCancel: {
          end.cancel()
        }
      })
  }
}
