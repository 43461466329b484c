import Base
import Configuration
import Decoding
import Gateway
import Hardware
import Logging
import OperatingSystem

extension TimeFeature: Feature {
  func clockOutput(of receiver: ReceiverSpec, _ port: (any CommandPort)?) -> (any ClockOutput)? {
    guard receiver.canSetClock, let datagrams = DatagramSocket(socket) else { return nil }
    return TimeReference(socket: socket, delay: delay, port) { datagrams.deliver($0).map { systemErrorText($0) } }
  }
}

/// The sender of the receiver's time to chrony (a program that sets the clock). Chrony gets at most one time sample in
/// each second.
///
/// A sample is about the first byte of an epoch (all data of the receiver for one instant). The time of this byte is
/// the time of the read that returned the byte, minus the transfer time on the serial port.
///
/// An epoch that was read late gives no sample. The *clock error* (the receiver's time minus the wall clock) of such an
/// epoch differs from the clock error of the previous epoch.
struct TimeReference: ClockOutput {
  /// The minimum pause in the receiver's data that begins a new burst of bytes. The first byte of a burst is the first
  /// byte of an epoch (all data of one instant).
  static let silence = Duration.milliseconds(50)
  /// The maximum change of the clock error (the receiver's time minus the wall clock) between two epochs that were read
  /// in time. On an I2C bus, a read can be up to 250 ms late.
  static let longestShift = Duration.milliseconds(300)
  /// The minimum time between two warnings in the log.
  static let pause = Duration.seconds(600)

  private let socket: String
  /// The delay of the receiver: the time from a measurement to the first byte about the measurement.
  private let delay: Duration
  /// Sends a datagram to chrony without waiting. Returns nil after a success, and the operating system's error text
  /// after a failure.
  private let deliver: @Sendable ([UInt8]) -> String?
  /// The serial port of the receiver; nil if the receiver takes no commands. Only the port knows the transfer speed.
  private let port: (any CommandPort)?
  private var lastArrival: MonotonicInstant?
  /// The first reads of the last two bursts, each with its count of bytes. Two bursts are stored, because an epoch is
  /// often complete only when the next burst begins.
  private var bursts: [(arrived: MonotonicInstant, count: Int)] = []
  /// The last epoch (all data of the receiver for one instant): its time, and its clock error in seconds. The value is
  /// nil before the first epoch. The clock error is the receiver's time minus the wall clock.
  private var former: (utc: UTCTime, offset: Double)?
  /// The second of the last sample, counted from 1970; nil before the first sample.
  private var second: Int64?
  /// The last sample that was sent to chrony; nil before the first sample. The value `lineDelay` is the transfer time
  /// on the serial port.
  private var sent: (utc: UTCTime, offset: Double, lineDelay: Duration)?
  private var sentCount = 0
  private var failedCount = 0
  /// The error text of the last attempt to send; nil if the last attempt was successful.
  private var fault: String?
  /// The instant of the last warning in the log; nil before the first warning.
  private var warned: MonotonicInstant?
  /// Whether the last log message was a warning; nil if there was no log message yet.
  private var isWarned: Bool?

  init(
    socket: String, delay: Duration, _ port: (any CommandPort)?, deliver: @escaping @Sendable ([UInt8]) -> String?
  ) {
    self.socket = socket
    self.delay = delay
    self.port = port
    self.deliver = deliver
  }

  mutating func receive(_ count: Int, arrived: MonotonicInstant) {
    if lastArrival.map({ arrived - $0 >= Self.silence }) ?? true {
      bursts = bursts.suffix(1) + [(arrived, count)]
    }
    lastArrival = arrived
  }

  mutating func send(_ time: ReceiverTime, at now: ClockReading) -> [LogMessage] {
    let lineDelay = lineDelay(of: time)
    let instant = time.began - lineDelay - delay
    let sample = TimeSample(clock: now.utc(at: instant), utc: time.utc, leapSecond: time.leapSecond)
    // If one read returned several epochs that had waited, the transfer time of its bytes seems long. So a clock error
    // that includes the transfer time could make a late epoch seem prompt.
    let offset = sample.offset - lineDelay / .seconds(1)
    defer { former = (time.utc, offset) }
    let (second, rest) = time.utc.nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard second != self.second, rest >= 0, isPrompt(offset, of: time.utc) else { return [] }
    self.second = second
    self.fault = deliver(sample.datagram)
    guard let fault else {
      sentCount += 1
      sent = (time.utc, sample.offset, lineDelay)
      return noteSuccess()
    }
    failedCount += 1
    return note(fault, at: now.monotonic)
  }

  /// Returns whether an epoch (all data of one instant) was read without a delay. The clock error (the receiver's time
  /// minus the wall clock) is then almost the same as in the previous epoch.
  ///
  /// A suspension of the machine also changes the clock error, because only the monotonic clock stops.
  /// - Parameters:
  ///   - offset: The clock error of the epoch, in seconds.
  ///   - utc: The time of the epoch.
  private func isPrompt(_ offset: Double, of utc: UTCTime) -> Bool {
    guard let former else { return false }
    let interval = Duration.nanoseconds(utc.nanosecondsSince1970) - .nanoseconds(former.utc.nanosecondsSince1970)
    let limit = min(interval * 3 / 10, Self.longestShift)
    return abs(offset - former.offset) <= limit / .seconds(1)
  }

  /// Returns the time that the serial port needed to transfer the bytes of one read. The result is zero if the speed
  /// is unknown, or if the read did not begin a burst.
  private func lineDelay(of time: ReceiverTime) -> Duration {
    guard let burst = bursts.last(where: { $0.arrived == time.began }), let capacity = port?.lineCapacity, capacity > 0
    else { return .zero }
    return .seconds(burst.count) / capacity
  }

  /// Returns a log message that chrony gets the time; empty if the last log message was the same.
  private mutating func noteSuccess() -> [LogMessage] {
    guard isWarned != false else { return [] }
    isWarned = false
    return [LogMessage(.receiver, .notice, "chrony gets the time of the receiver", ["socket": socket])]
  }

  /// Returns a warning that chrony does not get the time; empty if the log already has such a warning, or had one
  /// within `pause`.
  private mutating func note(_ fault: String, at now: MonotonicInstant) -> [LogMessage] {
    guard isWarned != true, warned.map({ now - $0 >= Self.pause }) ?? true else { return [] }
    isWarned = true
    warned = now
    return [
      LogMessage(
        .receiver, .warning, "cannot give chrony the time of the receiver",
        ["socket": socket, "cause": fault, "remedy": "see onefixd check, and [time] in onefix.toml(5)"])
    ]
  }

  // MARK: State

  var reducedWarning: String { Fault.timeReduced.code }

  var fields: [String: String] {
    var fields = ["time": fault != nil ? "failed" : sentCount > 0 ? "sent" : "waiting"]
    fields["time-last"] = sent.map { $0.utc.iso8601 }
    fields["time-offset-s"] = sent?.offset.decimal(4)
    fields["time-line-s"] = sent.map { ($0.lineDelay / .seconds(1)).decimal(4) }
    fields["time-sent"] = "\(sentCount)"
    fields["time-failed"] = "\(failedCount)"
    // The value of a field is one word.
    fields["time-fault"] = fault.map { $0.split(separator: " ").joined(separator: "-") }
    return fields
  }

  var families: [MetricFamily] {
    [
      .counter("onefix_time_samples", "Samples of the time for chrony, by outcome.")
        .with(["sent": sentCount, "failed": failedCount], by: "outcome"),
      .gauge(
        "onefix_time_offset_seconds", unit: "seconds",
        "The receiver's time minus the time of this machine's clock, in the latest sample."
      ).with(sent?.offset),
      .gauge(
        "onefix_time_line_delay_seconds", unit: "seconds",
        "Time that the first bytes of an epoch took on the serial line, in the latest sample."
      ).with(sent.map { $0.lineDelay / .seconds(1) }),
    ]
  }
}
