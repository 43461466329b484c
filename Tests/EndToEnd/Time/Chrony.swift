import Foundation
import Glibc
import Sentences
import Testing

/// Debian's chronyd with its own files and a reference clock, without control of this machine's clock.
final class Chrony: Sendable {
  static let isInstalled = ["/usr/sbin/chronyd", "/usr/bin/chronyc"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  let folder: Folder
  private let process: Observed<Child?> = Observed(nil)

  /// The socket of the reference clock.
  var socket: String { folder.path("onefix.sock") }

  init() throws { folder = try Folder() }

  deinit { process.value?.kill(SIGKILL) }

  func start() async throws {
    let configuration = try folder.write(
      """
      refclock SOCK \(socket) refid GNSS poll 0 filter 1
      bindcmdaddress \(folder.path("command.sock"))
      cmdport 0
      port 0
      pidfile \(folder.path("chronyd.pid"))
      """, to: "chrony.conf")
    // -d: in the foreground; -x: no control of the clock; -U: any user may start it.
    let user = try #require(unsafe getpwuid(getuid()).map { unsafe String(cString: $0.pointee.pw_name) })
    let child = try Child("/usr/sbin/chronyd", ["-d", "-x", "-U", "-u", user, "-f", configuration])
    process.change { $0 = child }
    try await child.reported("Disabled control of system clock")
  }

  /// Stops chronyd and removes its sockets.
  func stop() async throws {
    guard let child = process.value else { return }
    process.change { $0 = nil }
    child.kill(SIGTERM)
    try await child.finish()
  }

  /// Suspends chronyd. Its sockets stay, and their queues fill.
  func hold() { process.value?.kill(SIGSTOP) }

  func resume() { process.value?.kill(SIGCONT) }

  /// Returns the fields of the answer to a command of chronyc.
  func ask(_ command: String) async throws -> [String] {
    let answer = try await Child("/usr/bin/chronyc", ["-c", "-h", folder.path("command.sock"), command]).finish()
    return (answer.output.first ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Waits until chronyd has selected the reference clock.
  func waitUntilSelected() async throws {
    _ = try await eventually("the selection of the reference clock", each: .milliseconds(200)) {
      let source = try await ask("sources")
      return source.count > 2 && source[1] == "*" && source[2] == "GNSS" ? true : nil
    }
  }

  /// The difference between the true time and the clock of this machine in seconds, as chronyd estimates it. It is more
  /// than 0 if the clock is slow.
  func offset() async throws -> Double {
    let tracking = try await ask("tracking")
    try #require(tracking.count > 4)
    return try #require(Double(tracking[4]))
  }
}

/// A receiver that sends the present time five times a second.
final class PresentTime: Sendable {
  private let timer: any DispatchSourceTimer & Sendable

  /// - Parameters:
  ///   - ahead: The time by which the receiver's clock is ahead of the clock of this machine, in seconds.
  ///   - status: The status in RMC: `A` for a valid fix, `V` for none.
  init(into terminal: Terminal, ahead: Double, status: @escaping @Sendable () -> String = { "A" }) {
    let timer = DispatchSource.makeTimerSource()
    self.timer = timer as! DispatchSource
    timer.schedule(deadline: .now(), repeating: 0.2)
    timer.setEventHandler {
      terminal.send(Array(Self.sentence(at: Date().addingTimeInterval(ahead), status: status()).utf8))
    }
    timer.resume()
  }

  deinit { timer.cancel() }

  private static func sentence(at date: Date, status: String) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .nanosecond], from: date)
    func two(_ number: Int?) -> String { String(format: "%02d", (number ?? 0) % 100) }
    let fraction = String(format: "%03d", (parts.nanosecond ?? 0) / 1_000_000)
    return nmeaSentence(
      "GNRMC,\(two(parts.hour))\(two(parts.minute))\(two(parts.second)).\(fraction),\(status),4722.6133,N,00832.5016,E,"
        + "0.1,73.28,\(two(parts.day))\(two(parts.month))\(two(parts.year)),,,\(status == "A" ? "A" : "N"),V")
  }
}
