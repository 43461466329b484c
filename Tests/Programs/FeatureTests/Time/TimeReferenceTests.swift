import Base
import ControlledBoard
import Decoding
import Hardware
import OperatingSystem
import Synchronization
import Testing

@testable import Features
@testable import Gateway

/// A time of a test: so long after its beginning, which is long after the start of the machine.
private func at(_ time: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 1_000_000_000_000) + time }

/// The clocks of a test at a time: 07:22:30 at the beginning.
private func clock(_ time: Duration = .zero) -> ClockReading {
  let beginning = UTCTime(
    date: UTCDate(year: 2026, month: 11, day: 21)!, timeOfDay: TimeOfDay(hour: 7, minute: 22, second: 30)!)
  let reading = ClockReading(monotonic: at(.zero), utc: beginning)
  return ClockReading(monotonic: at(time), utc: reading.utc(at: at(time)))
}

extension [LogMessage] {
  /// One short line for each message.
  fileprivate var lines: [String] { map { "\($0.level): \($0.text)" } }
}

/// chrony's end of the socket.
private final class FakeChrony: Sendable {
  private let state = Mutex<(datagrams: [[UInt8]], fault: String?)>(([], nil))

  /// Sets the cause of the failure of the next datagrams; nil if they arrive.
  func fail(_ fault: String?) { state.withLock { $0.fault = fault } }

  func receive(_ datagram: [UInt8]) -> String? {
    state.withLock {
      $0.datagrams.append(datagram)
      return $0.fault
    }
  }

  /// Returns the datagrams since the last call.
  func take() -> [[UInt8]] {
    state.withLock { state in
      defer { state.datagrams = [] }
      return state.datagrams
    }
  }
}

@Suite struct TimeReferenceTests {
  private let chrony = FakeChrony()

  private func reference(delay: Duration = .zero, _ port: FakePort? = nil) -> TimeReference {
    TimeReference(socket: "/run/chrony.onefix.sock", delay: delay, port) { [chrony] datagram in
      chrony.receive(datagram)
    }
  }

  /// The time of an epoch that arrived at a time of the test. The true time is `ahead` of this machine's clock.
  private func epoch(_ time: Duration, ahead: Duration = .zero, leap: LeapSecond? = nil) -> ReceiverTime {
    ReceiverTime(utc: clock(time + ahead).utc, began: at(time), leapSecond: leap)
  }

  /// Gives an epoch to a reference. Returns the datagrams that chrony then gets.
  private func send(
    _ time: ReceiverTime, to reference: inout TimeReference, at now: ClockReading
  ) -> [[UInt8]] {
    _ = reference.send(time, at: now)
    return chrony.take()
  }

  /// Returns a reference that has received an epoch at 4 s, and so can send the time of the next epoch.
  private func started(
    delay: Duration = .zero, _ port: FakePort? = nil, ahead: Duration = .zero
  ) -> TimeReference {
    var reference = reference(delay: delay, port)
    #expect(send(epoch(.seconds(4), ahead: ahead), to: &reference, at: clock(.milliseconds(4150))).isEmpty)
    return reference
  }

  /// The offset in a datagram.
  private func offset(_ datagram: [UInt8]) -> Double {
    Double(bitPattern: datagram[16..<24].reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  // MARK: The datagram

  @Test(
    arguments: [
      // 2026-05-11T05:49:10.123456 is 0x6A016DD6 seconds and 0x1E240 microseconds; 0.25 is 0x3FD0_0000_0000_0000.
      (123_456_000, 250_000_000, nil, [0xD6, 0x6D, 0x01, 0x6A], 0x1E240, [0xD0, 0x3F], 0),
      (0, -500_000_000, .inserted, [0xD6, 0x6D, 0x01, 0x6A], 0, [0xE0, 0xBF], 1),
      (999_999_000, 0, .deleted, [0xD6, 0x6D, 0x01, 0x6A], 999_999, [0, 0], 2),
    ] as [(Int64, Int64, LeapSecond?, [UInt8], Int, [UInt8], UInt8)])
  func `a datagram has the layout of chrony's driver`(
    fraction: Int64, ahead: Int64, leap: LeapSecond?, seconds: [UInt8], microseconds: Int, offset: [UInt8], flag: UInt8
  ) throws {
    let now = UTCTime(nanosecondsSince1970: 0x6A01_6DD6 * 1_000_000_000 + fraction)
    let utc = UTCTime(nanosecondsSince1970: now.nanosecondsSince1970 + ahead)
    let expected: [UInt8] =
      seconds + [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: microseconds >> ($0 * 8)) }
      + [0, 0, 0, 0, 0, 0] + offset + [0, 0, 0, 0] + [flag, 0, 0, 0] + [0, 0, 0, 0] + [0x4B, 0x43, 0x4F, 0x53]
    #expect(TimeSample(clock: now, utc: utc, leapSecond: leap).datagram == expected)
    #expect(expected.count == 40)
  }

  @Test func `the nanoseconds that chrony does not read are part of the offset`() {
    let now = UTCTime(nanosecondsSince1970: 1_000_000_000_000_000_999)
    #expect(TimeSample(clock: now, utc: now, leapSecond: nil).offset == 999e-9)
  }

  // MARK: Samples

  @Test(
    arguments: [
      (-3600, 0, nil, 0), (-0.25, 0, nil, 0), (0, 0, .inserted, 1), (0.25, 0, .deleted, 2), (1_000_000, 0, nil, 0),
      (0, 0.1, nil, 0),
    ] as [(Double, Double, LeapSecond?, UInt8)])
  func `a sample has the receiver's time minus that of the clock at the epoch's begin, the delay, and a leap second`(
    ahead: Double, delay: Double, leap: LeapSecond?, flag: UInt8
  ) throws {
    var reference = started(delay: .seconds(delay), ahead: .seconds(ahead))
    // The epoch is complete 150 ms after its first byte.
    let time = epoch(.seconds(5), ahead: .seconds(ahead), leap: leap)
    let datagram = try #require(send(time, to: &reference, at: clock(.milliseconds(5150))).first)
    #expect(abs(offset(datagram) - ahead - delay) < 1e-6 && datagram[28] == flag)
  }

  @Test func `there is one sample for each second of the receiver`() {
    var reference = reference()
    let counts = (0..<20).map { number in
      let instant = number * 200
      return send(epoch(.milliseconds(instant)), to: &reference, at: clock(.milliseconds(instant + 100))).count
    }
    // The first epoch has no preceding epoch.
    #expect(counts == (0..<20).map { [1, 5, 10, 15].contains($0) ? 1 : 0 })
  }

  @Test(
    arguments: [
      // The time since the former read, the bytes a second, and the time that ten bytes took.
      (.milliseconds(700), 960, 10.0 / 960), (.milliseconds(50), 960, 10.0 / 960), (.milliseconds(49), 960, 0),
      (.milliseconds(700), nil, 0),
    ] as [(Duration, Int?, Double)])
  func `the bytes of the read that begins a burst took their time on the line, if its capacity is known`(
    silence: Duration, capacity: Int?, expected: Double
  ) throws {
    var reference = started(FakePort(lineCapacity: capacity))
    reference.receive(300, arrived: at(.seconds(5) - silence))
    reference.receive(10, arrived: at(.seconds(5)))
    reference.receive(20, arrived: at(.milliseconds(5010)))
    // The next burst completes the epoch.
    reference.receive(30, arrived: at(.seconds(6)))
    let datagrams = send(epoch(.seconds(5)), to: &reference, at: clock(.seconds(6)))
    #expect(abs(offset(try #require(datagrams.first)) - expected) < 1e-6)
    #expect(reference.fields["time-line-s"] == (expected > 0 ? "0.0104" : "0.0000"))
  }

  // MARK: Late reads

  @Test(
    arguments: [1, 2, 5, 10] as [Int64],
    [Duration.milliseconds(400), .milliseconds(1500), .seconds(3), .seconds(90)])
  func `after a pause of the process, no epoch gives a sample that was read late`(rate: Int64, pause: Duration) throws {
    // After the pause, each read returns one epoch, or one read returns all that waited.
    for interval in [Duration.milliseconds(1), .nanoseconds(1), .zero] {
      var reference = reference()
      let began = Duration.milliseconds(4950)
      var last = Duration.zero
      var latest: Int64?
      for number in 0..<100 * rate {
        let measured = Duration.milliseconds(number * 1000 / rate)
        let isHeld = measured > began && measured < began + pause
        let arrived = max(isHeld ? began + pause : measured, last + interval)
        last = arrived
        let time = ReceiverTime(utc: clock(measured).utc, began: at(arrived))
        for datagram in send(time, to: &reference, at: clock(arrived)) {
          #expect(abs(offset(datagram)) < 0.03, "epoch \(number)")
          latest = number
        }
      }
      #expect(latest == 99 * rate)
    }
  }

  @Test func `a long read after a pause does not make a late epoch seem prompt`() {
    var reference = started(FakePort(lineCapacity: 960))
    let arrived = Duration.milliseconds(6300)
    // Two epochs waited. Their 494 bytes would take 0.51 s on the line.
    reference.receive(494, arrived: at(arrived))
    for (measured, began) in [(Duration.milliseconds(5500), arrived), (.seconds(6), arrived + .nanoseconds(1))] {
      let time = ReceiverTime(utc: clock(measured).utc, began: at(began))
      #expect(send(time, to: &reference, at: clock(arrived + .milliseconds(1))).isEmpty)
    }
  }

  /// The monotonic clock stops while the machine is suspended.
  @Test func `an epoch from before a suspension of the machine gives no sample after it`() {
    var reference = started()
    let suspended = Duration.seconds(3600)
    func handle(second: Int64, asleep: Duration) -> Int {
      let now = ClockReading(monotonic: at(.seconds(second)), utc: clock(.seconds(second) + suspended).utc)
      let time = ReceiverTime(utc: clock(.seconds(second) + suspended - asleep).utc, began: now.monotonic)
      return send(time, to: &reference, at: now).count
    }
    // The receiver measured the epoch before the suspension. The adapter kept it until the end of the suspension.
    #expect(handle(second: 5, asleep: suspended) == 0)
    #expect(handle(second: 6, asleep: .zero) == 0)
    #expect(handle(second: 7, asleep: .zero) == 1)
  }

  @Test(arguments: [3600, -3600, 1, -1])
  func `the epoch after a step of the clock gives no sample, and the next epoch does`(step: Int64) {
    var reference = started()
    let counts = (5...8).map { (second: Int64) in
      let utc = clock(.seconds(second)).utc
      let stepped = clock(.seconds(second) + .seconds(second < 6 ? 0 : step)).utc
      let now = ClockReading(monotonic: at(.seconds(second)), utc: stepped)
      return send(ReceiverTime(utc: utc, began: now.monotonic), to: &reference, at: now).count
    }
    #expect(counts == [1, 0, 1, 1])
  }

  // MARK: Failures

  @Test func `a failure is reported once, and its end too`() {
    var reference = started()
    let warning = "warning: cannot give chrony the time of the receiver"
    let notice = "notice: chrony gets the time of the receiver"
    #expect(reference.fields["time"] == "waiting")
    var lines: [[String]] = []
    let faults: [String?] = ["no such file or directory", "connection refused", nil, nil, "connection refused", nil]
    for (second, fault) in zip(5..., faults) {
      chrony.fail(fault)
      lines.append(reference.send(epoch(.seconds(second)), at: clock(.seconds(second))).lines)
    }
    #expect(lines == [[warning], [], [notice], [], [], []])
    #expect(reference.fields["time"] == "sent")
    #expect(reference.fields["time-sent"] == "3" && reference.fields["time-failed"] == "3")
    // A failure after the pause is reported again, and none before.
    chrony.fail("permission denied")
    let later = .seconds(5) + TimeReference.pause
    let early = later - .nanoseconds(1)
    #expect(reference.send(epoch(later - .seconds(1)), at: clock(early)).lines == [])
    #expect(reference.send(epoch(later), at: clock(later)).lines == [warning])
    #expect(reference.fields["time"] == "failed" && reference.fields["time-fault"] == "permission-denied")
    // A failure that lasts longer than the pause is not reported again.
    let muchLater = later + TimeReference.pause
    #expect(reference.send(epoch(muchLater), at: clock(muchLater)).lines == [])
  }

  // MARK: State

  @Test func `the status and the metrics show the latest sample that was sent`() throws {
    var reference = started(ahead: .milliseconds(-83))
    #expect(reference.fields["time-last"] == nil)
    _ = reference.send(epoch(.seconds(30), ahead: .milliseconds(-83)), at: clock(.milliseconds(30_100)))
    chrony.fail("connection refused")
    _ = reference.send(epoch(.seconds(40), ahead: .milliseconds(100)), at: clock(.milliseconds(40_100)))
    #expect(reference.fields["time-last"] == "2026-11-21T07:22:59.917Z")
    #expect(reference.fields["time-offset-s"] == "-0.0830")
    let text = Exposition(reference.families).text
    #expect(text.contains(#"onefix_time_samples_total{outcome="failed"} 1"#))
    #expect(text.contains(#"onefix_time_samples_total{outcome="sent"} 1"#))
    #expect(text.contains("onefix_time_offset_seconds -0.083"))
    #expect(text.contains("onefix_time_line_delay_seconds 0"))
  }

  @Test(arguments: [(299, true), (301, false), (-299, true), (-301, false)])
  func `an epoch gives a sample if its offset differs by at most 300 ms, however long the interval`(
    milliseconds: Int, isSent: Bool
  ) {
    var reference = started(ahead: .seconds(1))
    let ahead = Duration.seconds(1) + .milliseconds(milliseconds)
    let datagrams = send(epoch(.seconds(14.5), ahead: ahead), to: &reference, at: clock(.milliseconds(14_650)))
    #expect(datagrams.isEmpty != isSent)
  }
}
