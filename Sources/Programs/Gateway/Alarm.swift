import Base
import NIOCore

/// The single timer of the gateway. The timer fires at the next deadline.
struct Alarm {
  private var scheduled: (task: Scheduled<Void>, time: MonotonicInstant)?
  var overdue = OverdueTimerGuard()

  /// Sets the timer to the next deadline, or cancels the timer if `next` is nil.
  ///
  /// If the timer is already set to an earlier time, the function changes nothing: when the timer fires, the gateway
  /// sets the next time. Each epoch (all data of the receiver for one instant) moves a deadline, so this rule avoids
  /// many changes of the timer.
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

  /// Sets the timer to a deadline, unless the timer is already set to an earlier time. A nil deadline changes nothing.
  mutating func advance(to deadline: MonotonicInstant?, on gateway: Gateway) {
    if let deadline { set(deadline, on: gateway) }
  }

  mutating func clear() { scheduled = nil }
}
