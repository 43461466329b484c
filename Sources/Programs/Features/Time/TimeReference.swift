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

/// Sends the time of the receiver to chrony, at most one sample for each second.
///
/// A sample belongs to the first byte of an epoch (all data of the receiver for one instant). The time of this byte is
/// the time of the read that returned it, minus the transfer time on the serial port.
///
/// An epoch that was read late gives no sample. The gateway recognizes such an epoch by its *clock error*, which
/// differs from that of the epoch before. The clock error is the time of the receiver minus the wall clock.
struct TimeReference: ClockOutput {
  /// The minimum idle time of the port before a burst of bytes. Only the first read of a burst begins with the first
  /// byte of an epoch.
  static let silence = Duration.milliseconds(50)
  /// The maximum change of the clock error (the time of the receiver minus the wall clock) from one epoch to the next.
  /// On an I2C bus, a read is up to 250 ms late, or a quarter of the time between two epochs.
  static let longestShift = Duration.milliseconds(300)
  /// The minimum time between two log messages about a failure.
  static let pause = Duration.seconds(600)

  /// The path of the socket of chrony.
  private let socket: String
  /// The time from a measurement to the first byte that the receiver sends about it.
  private let delay: Duration
  /// Sends a datagram without waiting. Returns the error text of the C library after a failure, and nil after a
  /// success.
  private let deliver: @Sendable ([UInt8]) -> String?
  /// The port of the receiver; nil if the receiver takes no commands. Without a port, its speed is unknown.
  private let port: (any CommandPort)?
  /// The instant of the last read that returned bytes; nil before the first one.
  private var lastArrival: MonotonicInstant?
  /// The first read of each of the last two bursts, with its count of bytes. Often an epoch is complete only when the
  /// next burst begins.
  private var bursts: [(arrived: MonotonicInstant, count: Int)] = []
  /// The time of the last epoch, and its clock error in seconds; nil before the first epoch. The clock error is the
  /// time of the receiver minus the wall clock, here without the transfer time.
  private var former: (utc: UTCTime, offset: Double)?
  /// The second of the last sample, since 1970; nil before the first sample.
  private var second: Int64?
  /// The last sample that chrony received; nil before the first one.
  private var sent: (utc: UTCTime, offset: Double, lineDelay: Duration)?
  private var sentCount = 0
  private var failedCount = 0
  /// The cause of the last failure; nil after a success.
  private var fault: String?
  /// The instant of the last log message about a failure; nil before the first one.
  private var warned: MonotonicInstant?
  /// Whether the last log message was about a failure; nil before the first message.
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

  /// Returns whether an epoch was read in time. Its clock error (the time of the receiver minus the wall clock) then
  /// agrees with that of the epoch before.
  ///
  /// If two epochs wait for the same read, their clock errors differ by the time between them. In suspend, the
  /// monotonic clock stops but the wall clock does not, so the clock error also shows a suspension.
  private func isPrompt(_ offset: Double, of utc: UTCTime) -> Bool {
    guard let former else { return false }
    let interval = Duration.nanoseconds(utc.nanosecondsSince1970) - .nanoseconds(former.utc.nanosecondsSince1970)
    let limit = min(interval * 3 / 10, Self.longestShift)
    return abs(offset - former.offset) <= limit / .seconds(1)
  }

  /// Returns how long the serial port transferred the bytes of a read. Zero if the read did not begin a burst, or if
  /// the speed of the port is unknown.
  private func lineDelay(of time: ReceiverTime) -> Duration {
    guard let burst = bursts.last(where: { $0.arrived == time.began }), let capacity = port?.lineCapacity, capacity > 0
    else { return .zero }
    return .seconds(burst.count) / capacity
  }

  /// Returns a log message about the success, unless the last message was already about a success.
  private mutating func noteSuccess() -> [LogMessage] {
    guard isWarned != false else { return [] }
    isWarned = false
    return [LogMessage(.receiver, .notice, "chrony gets the time of the receiver", ["socket": socket])]
  }

  /// Returns a log message about a failure, at most one in each `pause`.
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
