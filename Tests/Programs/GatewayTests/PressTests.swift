import Authorization
import Base
import ControlledBoard
import Foundation
import GNSS
import Hardware
import LineProtocol
import OneFixClient
import Ports
import RecordingClients
import Repository
import Requirements
import Runtime
import StateStore
import Synchronization
import Testing

@testable import Gateway
@testable import SimulatedHardware

// The commands go to the gateway without a socket, since a connection may send only 20 commands in each second of the
// machine's clock.
@Test(.patient)
func `each of 500 presses in one session gets one answer and one fix`() async throws {
  try await Bench(confirmed()).run { bench in
    let calls = Mutex<(answers: [String], fixes: Int)>(([], 0))
    let connection = RecordingConnection { call in
      calls.withLock { calls in
        switch call {
        case .line(.message(let message)): calls.answers.append(message.json)
        case .once: calls.fixes += 1
        case .line, .update, .recall, .refuse: break
        }
      }
    }
    await bench.gateway.open(on: connection)
    for topic in ["button/press", "fix/once"] {
      await bench.gateway.perform(.subscribe(try TopicFilter(topic), sid: topic, qos: 0), tag: nil, on: connection)
    }
    var random = RandomSource(seed: 60, stream: 0)
    func pass(_ seconds: ClosedRange<Double>) async {
      await bench.clock.pass(.milliseconds(Int(random.uniform(seconds) * 1000)))
    }
    for number in 1...500 {
      // Sends an epoch, and lets the time pass until it is complete.
      func measure() async {
        let time = "07\(10 + number / 50)\(10 + number % 50).00"
        bench.receiver.read(nmea("GNGGA,\(time),4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
        await pass(0.5...0.5)
      }
      await bench.gateway.perform(.requestOnce(OnceRequest()), tag: nil, on: connection)
      // A press must come 1 s after the request (A9), and 2 s after the fix of the press before (A8).
      await pass(1...1.5)
      // Two fixes of three are fresh at the press. For the third one, the receiver measures after the press.
      let isFresh = number % 3 > 0
      if isFresh { await measure() }
      await pass(0...0.4)
      _ = await bench.button.press(for: .milliseconds(Int(random.uniform(20...900))))
      if !isFresh { await measure() }
      await bench.pass { $0.waitingCount == 0 && $0.grantCount == 0 }
      #expect(calls.withLock { $0.answers } == Array(repeating: #"{"authorized":true}"#, count: number))
      #expect(calls.withLock { $0.fixes } == number)
      await pass(1...1.5)
    }
  }
}

@Test(.patient)
func `a simulated press has the result of its own button, whichever button ends meanwhile`() async throws {
  try await Bench(
    confirmed(),
    buttons: { main, clock in
      // While the caller waits for the main button, a person presses the other one.
      let other = SimulatedButton(clock: clock.passing)
      return [
        .init(profile: ButtonProfile(name: "main"), input: main, press: { await other.press(for: $0) }),
        .init(profile: ButtonProfile(name: "other"), input: other, press: { await other.press(for: $0) }),
      ]
    }
  ).run { bench in
    let main = try await bench.gateway.press("main", for: nil, isHold: false)
    #expect(main == nil)
    let other = try await bench.gateway.press("other", for: nil, isHold: false)
    #expect(other?.release != nil)
  }
}

/// A vehicle on a circle of 300 m at 15 m/s, and a receiver with one epoch each second.
private struct Drive {
  static let (radius, speed) = (300.0, 15.0)
  /// The standard deviations of the slow error and of the white noise along each axis, in metres.
  static let (slow, white) = (1.0, 0.3)
  static let (latitude, longitude) = (47.3769, 8.5417)

  private var random = RandomSource(seed: 11, stream: 0)
  private var error: [Double] = []

  init() { error = (0..<2).map { _ in random.normal() * Self.slow } }

  /// Returns the metres east and north of the centre.
  static func truth(_ seconds: Double) -> (east: Double, north: Double) {
    let angle = speed / radius * seconds
    return (radius * sin(angle), radius * cos(angle))
  }

  private static let metre = (latitude: 1 / 111_200.0, longitude: 1 / (111_320 * cos(latitude * .pi / 180)))

  /// Returns the distance of a fix from the vehicle in metres.
  static func distance(_ coordinate: Coordinate, at seconds: Double) -> Double {
    let truth = truth(seconds)
    return hypot(
      (coordinate.longitude - longitude) / metre.longitude - truth.east,
      (coordinate.latitude - latitude) / metre.latitude - truth.north)
  }

  /// Returns the sentences of an epoch.
  mutating func epoch(_ second: Int) -> [UInt8] {
    let decay = exp(-1 / 30.0)
    for axis in 0..<2 { error[axis] = decay * error[axis] + random.normal() * Self.slow * sqrt(1 - decay * decay) }
    let truth = Self.truth(Double(second))
    let north = Self.latitude + (truth.north + error[1] + random.normal() * Self.white) * Self.metre.latitude
    let east = Self.longitude + (truth.east + error[0] + random.normal() * Self.white) * Self.metre.longitude
    let position =
      "\(Int(north))\(String(format: "%09.6f", (north - floor(north)) * 60)),N,"
      + "00\(Int(east))\(String(format: "%09.6f", (east - floor(east)) * 60)),E"
    let time = String(format: "07%02d%02d.00", second / 60, second % 60)
    let course = (90 + Double(second) * Self.speed / Self.radius * 180 / .pi).truncatingRemainder(dividingBy: 360)
    let (knots, degrees) = (String(format: "%.2f", Self.speed / 0.514444), String(format: "%.1f", course))
    return nmea("GNRMC,\(time),A,\(position),\(knots),\(degrees),211126,,,A,V")
      + nmea("GNGGA,\(time),\(position),1,11,0.8,408.2,M,47.3,M,,") + nmea("GNGST,\(time),,,,,1.0,1.0,2.0")
  }
}

@Test(.patient)
func `A10: at 15 m/s the fix of a press between two epochs is within 2.5 m of the position at the press`()
  async throws
{
  try await Bench(confirmed()).run { bench in
    let client = try await bench.client("parks")
    var drive = Drive()
    let begin = bench.clock.now
    /// Lets time pass until an instant of the drive.
    func pass(until milliseconds: Int) async {
      await bench.clock.pass(begin + .milliseconds(milliseconds) - bench.clock.now)
    }
    // The receiver counts from 07:00.
    let zero = try #require(UTCTime(iso8601: "2026-11-21T07:00:00Z"))
    var (second, inside) = (0, 0)
    var errors: [(epoch: Double, pressed: Double)] = []
    for number in 0..<20 {
      let asking = await Asking(client)
      for _ in 0..<(number == 0 ? 20 : 3) {
        second += 1
        await pass(until: second * 1000)
        bench.receiver.read(drive.epoch(second))
        await bench.until { $0.sentenceCount == 3 * second }
      }
      let age = 20 + number * 331 % 800
      await pass(until: second * 1000 + age)
      let down = bench.clock.now
      _ = await bench.button.press(for: .milliseconds(40))
      await bench.pass { $0.waitingCount == 0 && $0.grantCount == 0 }
      let fix = try await asking.outcome.value
      let (coordinate, radius) = (try #require(fix.coordinate), try #require(fix.horizontalAccuracy))
      let (time, measured) = (try #require(fix.time), try #require(fix.measured))
      let seconds = Double((ClockReading(monotonic: begin, utc: zero).instant(at: time) - begin).milliseconds) / 1000
      #expect(abs(seconds - Double((down - begin).milliseconds) / 1000) < 0.002)
      #expect(measured <= time && time.nanosecondsSince1970 - measured.nanosecondsSince1970 < 2_000_000_000)
      errors.append((Drive.distance(coordinate, at: floor(seconds)), Drive.distance(coordinate, at: seconds)))
      if errors[number].pressed <= radius { inside += 1 }
    }
    let median = errors.map(\.pressed).sorted()[10]
    let apart = errors.map(\.epoch).sorted()[10]
    #expect(median <= 2.5, "the median error is \(median) m")
    #expect(apart > 5, "the fix is not at the place of the epoch: \(apart) m")
    #expect((10...20).contains(inside), "\(inside) of 20 are inside hacc")
  }
}

@Test(.patient) func `a press after a suspension of the machine gives no fix from before the suspension`() async throws
{
  try await Bench(confirmed()).run { bench in
    func receive(second: Int) async {
      await bench.receive(nmea("GNGGA,0731\(second).00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    }
    let asking = await Asking(try await bench.client("parks"))
    await bench.clock.pass(.milliseconds(1020))
    await receive(second: 10)
    bench.clock.suspend(.seconds(3600))
    // By the monotonic clock, the fix is 1 s old at the press.
    _ = await bench.button.press(for: .milliseconds(40))
    await bench.until { $0.waitingCount == 0 }
    // The gateway reads this data after the suspension, but the receiver may have sent it before.
    await receive(second: 11)
    #expect(await bench.disclosureCount == 0)
    await bench.clock.pass(.milliseconds(100))
    await receive(second: 12)
    _ = try await asking.outcome.value
    #expect(await bench.disclosureCount == 1)
  }
}

@Test(.patient, arguments: [(.seconds(1) - .nanoseconds(1), 1), (.seconds(1), 0)] as [(Duration, Int)])
func `a suspension of the machine for 1 s ends the grant of a press, and a shorter one does not`(
  length: Duration, grants: Int
) async throws {
  try await Bench(confirmed()).run { bench in
    let asking = await Asking(try await bench.client("parks"))
    await bench.pressInTime()
    await bench.until { $0.grantCount == 1 }
    bench.clock.suspend(length)
    await bench.gateway.handle(.timePassed)
    #expect(await bench.gateway.grantCount == grants)
    if grants == 0 { #expect(await asking.refusal() == .noFix) } else { asking.outcome.cancel() }
  }
}

/// A stage of the page for contributors: a file and a function.
private struct Stage: Codable, Hashable {
  let file: String
  let function: String

  /// Whether the function is the function of a call stack's frame.
  func isFunction(of symbol: SymbolicatedBacktrace.Symbol?) -> Bool {
    guard let symbol, let path = symbol.sourceLocation?.path else { return false }
    return path.hasSuffix("/\(file)")
      && ["(", "<"].contains { symbol.name.contains(".\(function)\($0)") }
  }
}

@Test(.patient)
func `a press passes the stages that the page for contributors lists, in this order`() async throws {
  let page = try String(contentsOfFile: "\(Repository.root)/Sources/Documentation/architecture.md", encoding: .utf8)
  let path = try #require(page.split(separator: "\n### ").first { $0.hasPrefix("The path of a press\n") })
  let stages = path.matches(of: #/(?m)^\d+\. `([A-Za-z+]+\.swift)`, `([a-z]\w*)`: /#).map {
    Stage(file: String($0.1), function: String($0.2))
  }
  #expect((8...10).contains(stages.count) && stages.count == path.matches(of: #/(?m)^\d+\. /#).count)
  for stage in stages {
    let files = try FileManager.default.subpathsOfDirectory(atPath: "\(Repository.root)/Sources").filter {
      $0.hasSuffix("/\(stage.file)")
    }
    #expect(files.count == 1, "\(stage.file)")
  }
  // The walk of the stack reads every file that is mapped into the process. In a process of its own, no other test can
  // remove such a mapping meanwhile.
  await #expect(processExitsWith: .success) { [stages = stages as [Stage]] in
    // The first stage is on the thread of the edges, and the last two belong to the connection.
    var inside = stages.dropFirst().dropLast(2)
    for frame in try await stackOfDisclosure().reversed() {
      if let stage = inside.first, stage.isFunction(of: frame.symbol) { inside.removeFirst() }
    }
    #expect(inside.isEmpty, "the press does not pass \(inside.first.map { "\($0)" } ?? "")")
  }
}

/// Returns the call stack when the client of a press gets its fix, from the innermost call.
private func stackOfDisclosure() async throws -> [SymbolicatedBacktrace.Frame] {
  let images = ImageMap.capture()
  let stack = Mutex<Backtrace?>(nil)
  try await Bench(confirmed()).run { bench in
    let connection = RecordingConnection { call in
      // The walk ends before the frames of the task: their contexts can be freed at the same time.
      if case .once = call { stack.withLock { $0 = try? Backtrace.capture(limit: 24, top: 0, images: images) } }
    }
    await bench.gateway.open(on: connection)
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: nil, on: connection)
    await bench.clock.pass(.milliseconds(1000))
    bench.receiver.read(nmea("GNGGA,071000.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    await bench.clock.pass(.milliseconds(500))
    _ = await bench.button.press(for: .milliseconds(40))
    await bench.pass { $0.waitingCount == 0 && $0.grantCount == 0 }
  }
  return try #require(stack.withLock(\.self)?.symbolicated(with: images)).frames.map(\.self)
}
