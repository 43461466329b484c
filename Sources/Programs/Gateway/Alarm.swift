import Clocks
import NIOCore

/// The alarm that wakes the gateway at its next deadline. Only one alarm is set at a time.
struct Alarm {
  private var scheduled: Scheduled<Void>?
  private var time: MonotonicInstant?
  private var overdue = OverdueTimerGuard()

  mutating func set(_ next: MonotonicInstant?, on gateway: Gateway) {
    guard next != time else { return }
    scheduled?.cancel()
    scheduled = nil
    time = next
    guard let next else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(0, next.nanoseconds)))
    scheduled = gateway.eventLoop.scheduleTask(deadline: deadline) { [weak gateway] in
      gateway?.assumeIsolated { $0.ring() }
    }
  }

  mutating func clear() { (scheduled, time) = (nil, nil) }

  mutating func isOverdue(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool { overdue.check(next, at: now) }

  var isNewFault: Bool { mutating get { overdue.isNew() } }
}
