import Base
import NIOCore

/// The timer that wakes the gateway at its next deadline. At most one timer runs at a time.
struct Alarm {
  private var scheduled: (task: Scheduled<Void>, time: MonotonicInstant)?
  private var overdue = OverdueTimerGuard()

  /// Sets the timer to the next deadline, or cancels the timer if `next` is nil.
  ///
  /// A timer that is already set to an earlier time stays: when it fires, the gateway sets the next one. Each epoch
  /// (all data of the receiver for one instant) moves a deadline, so this rule avoids a change of the timer for each
  /// epoch.
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

  /// Sets the timer to a deadline, unless the timer already fires earlier. A nil deadline changes nothing.
  mutating func advance(to deadline: MonotonicInstant?, on gateway: Gateway) {
    if let deadline { set(deadline, on: gateway) }
  }

  /// Records that the timer has fired, so that no timer is set now.
  mutating func clear() { scheduled = nil }

  /// Returns whether the gateway must pause before it handles the next deadline. The gateway pauses if too many
  /// deadlines in succession were already past when it set them.
  mutating func isOverdue(_ next: MonotonicInstant?, at now: MonotonicInstant) -> Bool { overdue.check(next, at: now) }

  /// Whether no earlier call has read this property since the fault began. True once, so that the log of the daemon
  /// gets one message.
  var isNewFault: Bool { mutating get { overdue.isNew() } }
}
