import Clocks
import Encoding
import Hardware
import Logging
import ReceiverStream
import Telemetry

/// The output of the receiver's time to the clock of this machine.
package struct TimeOutput: Sendable {
  /// The path of chrony's socket.
  package var socket: String
  /// The time from a measurement until the receiver sends the first byte of its data.
  package var delay: Duration
  /// Sends a datagram without waiting. Returns the cause of a failure in the words of the system, or nil.
  package var send: @Sendable ([UInt8]) -> String?

  package init(socket: String, delay: Duration, send: @escaping @Sendable ([UInt8]) -> String?) {
    self.socket = socket
    self.delay = delay
    self.send = send
  }
}

/// A sample for a reference clock of chrony: the time of this machine's clock, and its difference from the true time.
struct TimeSample: Hashable {
  /// The time of this machine's clock, in whole microseconds since 1970.
  let clock: Int64
  /// The true time minus the time of this machine's clock, in seconds.
  let offset: Double
  let leapSecond: LeapSecond?

  /// - Parameters:
  ///   - clock: The time of this machine's clock at an instant. chrony reads it in whole microseconds.
  ///   - utc: The true time at the same instant.
  init(clock: UTCTime, utc: UTCTime, leapSecond: LeapSecond?) {
    let nanoseconds = clock.nanosecondsSince1970
    self.clock = nanoseconds / 1000
    offset = (.nanoseconds(utc.nanosecondsSince1970) - .microseconds(self.clock)) / Duration.seconds(1)
    self.leapSecond = leapSecond
  }

  /// The datagram: the structure `sock_sample` of chrony's driver SOCK on little-endian machines
  /// with 64 bits. It contains the seconds and the microseconds of the clock (64 bits each), the offset (64-bit floating
  /// point), and four 32-bit numbers: whether the sample is a pulse, the leap second (1 inserted, 2 deleted), padding,
  /// and a magic number. (chrony, refclock_sock.c)
  var datagram: [UInt8] {
    let leap: Int32 =
      switch leapSecond {
      case nil: 0
      case .inserted: 1
      case .deleted: 2
      }
    var bytes: [UInt8] = []
    func append(_ value: some FixedWidthInteger) {
      let value = value.littleEndian
      for shift in stride(from: 0, to: value.bitWidth, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    append(clock / 1_000_000)
    append(clock % 1_000_000)
    append(offset.bitPattern)
    for number in [0, leap, 0, 0x534F_434B] { append(number) }
    return bytes
  }
}

/// Gives the receiver's time to chrony, at most one sample for each second.
///
/// A sample belongs to the first byte of an epoch. The part knows the time at which a read returned this byte, and
/// subtracts the time that the bytes of this read took on the serial line.
///
/// The part gives chrony no epoch that was read late. After a pause of this process or of the machine, the offset of an
/// epoch that was read late differs from the offset of the preceding epoch.
struct TimeReference {
  enum Input {
    /// A read returned bytes of the receiver.
    case bytes(Int, arrived: MonotonicInstant)
    /// An epoch with a valid time.
    case epoch(ReceiverTime)
    /// The latest sample was sent, or could not be sent.
    case sent(fault: String?)
  }

  /// The minimum silence before a read that begins a burst. Only in the first read of a burst, the first byte of an
  /// epoch is the first byte of the read.
  static let silence = Duration.milliseconds(50)
  /// The maximum change of the offset from one epoch to the next. On an I2C bus, an epoch waits for a read for up to a
  /// quarter of the time between two epochs, at most 250 ms.
  static let longestShift = Duration.milliseconds(300)
  /// The minimum time between two messages about a failure.
  static let pause = Duration.seconds(600)

  private let output: TimeOutput
  /// The receiver's port; nil if it takes no commands. Such a port has no known capacity.
  private let port: (any CommandPort)?
  private var lastArrival: MonotonicInstant?
  /// The first reads of the last two bursts. An epoch is often complete only when the next burst begins.
  private var bursts: [(arrived: MonotonicInstant, count: Int)] = []
  /// The time and the offset of the latest epoch, without the delay of the line.
  private var former: (utc: UTCTime, offset: Double)?
  /// The second of the latest sample, since 1970.
  private var second: Int64?
  private var sample: (utc: UTCTime, offset: Double, lineDelay: Duration)?
  /// The latest sample that chrony received.
  private var sent: (utc: UTCTime, offset: Double, lineDelay: Duration)?
  private var sentCount = 0
  private var failedCount = 0
  /// The cause of the latest failure; nil after a success.
  private var fault: String?
  /// The time of the latest message about a failure.
  private var warned: MonotonicInstant?
  /// Whether the latest message was about a failure; nil before the first message.
  private var isWarned: Bool?

  init(_ output: TimeOutput, _ port: (any CommandPort)?) {
    self.output = output
    self.port = port
  }

  mutating func handle(_ input: Input, at now: ClockReading) -> [Action] {
    switch input {
    case .bytes(let count, let arrived):
      if lastArrival.map({ arrived - $0 >= Self.silence }) ?? true {
        bursts = bursts.suffix(1) + [(arrived, count)]
      }
      lastArrival = arrived
      return []
    case .epoch(let time): return handle(time, at: now)
    case .sent(let fault): return note(fault, at: now.monotonic)
    }
  }

  private mutating func handle(_ time: ReceiverTime, at now: ClockReading) -> [Action] {
    let lineDelay = lineDelay(of: time)
    let instant = time.began - lineDelay - output.delay
    let sample = TimeSample(clock: now.utc(at: instant), utc: time.utc, leapSecond: time.leapSecond)
    // If one read returned several epochs that had waited, its bytes seem to have taken long on the line. So an offset
    // with this delay could make a late epoch seem prompt.
    let offset = sample.offset - lineDelay / .seconds(1)
    defer { former = (time.utc, offset) }
    let (second, rest) = time.utc.nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard second != self.second, rest >= 0, isPrompt(offset, of: time.utc) else { return [] }
    self.second = second
    self.sample = (time.utc, sample.offset, lineDelay)
    return [.sendTime(sample.datagram)]
  }

  /// Whether the offset agrees with the offset of the preceding epoch. The offsets of epochs that waited for the same
  /// read differ by the time between these epochs. The monotonic clock stops while the machine is suspended, but the
  /// wall clock, and with it the offset, does not.
  private func isPrompt(_ offset: Double, of utc: UTCTime) -> Bool {
    guard let former else { return false }
    let interval = Duration.nanoseconds(utc.nanosecondsSince1970) - .nanoseconds(former.utc.nanosecondsSince1970)
    let limit = min(interval * 3 / 10, Self.longestShift)
    return abs(offset - former.offset) <= limit / .seconds(1)
  }

  /// Returns the time that the bytes of the read took on the serial line; zero if the read did not begin a burst, or if
  /// the port has no known capacity.
  private func lineDelay(of time: ReceiverTime) -> Duration {
    guard let burst = bursts.last(where: { $0.arrived == time.began }), let capacity = port?.lineCapacity, capacity > 0
    else { return .zero }
    return .seconds(burst.count) / capacity
  }

  private mutating func note(_ fault: String?, at now: MonotonicInstant) -> [Action] {
    self.fault = fault
    guard let fault else {
      sentCount += 1
      sent = sample
      guard isWarned != false else { return [] }
      isWarned = false
      return [.log(LogMessage(.receiver, .notice, "chrony gets the time of the receiver", ["socket": output.socket]))]
    }
    failedCount += 1
    guard isWarned != true, warned.map({ now - $0 >= Self.pause }) ?? true else { return [] }
    isWarned = true
    warned = now
    return [
      .log(
        LogMessage(
          .receiver, .warning, "cannot give chrony the time of the receiver",
          ["socket": output.socket, "cause": fault, "remedy": "see onefixd check, and [time] in onefix.toml(5)"]))
    ]
  }

  // MARK: State

  /// The fields of the reply to `STATUS`.
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
