import Base
import NIOCore

/// The alarm that wakes the gateway at its next deadline. At most one alarm is set at a time.
struct Alarm {
  private var scheduled: (task: Scheduled<Void>, time: MonotonicInstant)?
  private var overdue = OverdueTimerGuard()

  /// Sets the alarm to the next deadline, or clears it if there is no deadline.
  ///
  /// An alarm that is already set to an earlier time stays. It rings before the deadline, and the gateway then sets the
  /// next alarm. So most epochs cost no change of the alarm, although each epoch moves the deadline after which the
  /// receiver counts as silent.
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

  /// Notes that the alarm has rung.
  mutating func clear() { scheduled = nil }

  /// Returns whether the gateway must wait before it handles the next deadline, because too many deadlines in
  /// succession were already in the past.
  mutating func isOverdue(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool { overdue.check(next, at: now) }

  /// Whether the fault is new: true at the first read, and false at every later read.
  var isNewFault: Bool { mutating get { overdue.isNew() } }
}
