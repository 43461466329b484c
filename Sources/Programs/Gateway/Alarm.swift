import Base
import NIOCore

/// The alarm that wakes the gateway at its next deadline. Only one alarm is set at a time.
struct Alarm {
  private var scheduled: (task: Scheduled<Void>, time: MonotonicInstant)?
  private var overdue = OverdueTimerGuard()

  /// Sets the alarm. If the next deadline is later than the alarm that is set, this alarm stays: it rings early, and is
  /// then set again. So an epoch, which moves the deadline of the receiver's silence, costs no change of the alarm.
  mutating func set(_ next: MonotonicInstant?, on gateway: Gateway) {
    if let next, let scheduled, scheduled.time <= next { return }
    scheduled?.task.cancel()
    scheduled = nil
    guard let next else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(0, next.nanoseconds)))
    let task: Scheduled<Void> = gateway.eventLoop.scheduleTask(deadline: deadline) { [weak gateway] in
      gateway?.assumeIsolated { $0.ring() }
    }
    scheduled = (task, next)
  }

  /// Sets the alarm to a deadline, unless the alarm rings earlier.
  mutating func advance(to deadline: MonotonicInstant?, on gateway: Gateway) {
    if let deadline { set(deadline, on: gateway) }
  }

  mutating func clear() { scheduled = nil }

  mutating func isOverdue(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool { overdue.check(next, at: now) }

  var isNewFault: Bool { mutating get { overdue.isNew() } }
}
