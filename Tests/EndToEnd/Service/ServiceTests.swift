import Foundation
import Glibc
import Requirements
import Testing

/// The daemon under a service manager, which is a socket of the test.
@Suite struct ServiceTests {
  private struct Service {
    let folder: Folder
    let manager: NotifySocket
    let process: Child

    init(
      in folder: Folder? = nil, watchdogMicroseconds: Int? = nil, receiver: String = "simulated",
      configuration: String = ""
    ) throws {
      let folder = try folder ?? Folder()
      self.folder = folder
      manager = try NotifySocket(in: folder)
      let configuration = try folder.write(configuration + Daemon.configuration, to: "onefix.toml")
      var environment = ["NOTIFY_SOCKET": manager.path]
      if let watchdogMicroseconds { environment["WATCHDOG_USEC"] = "\(watchdogMicroseconds)" }
      process = try Child(
        Program.onefixd,
        [
          "--socket", folder.path("s"), "--state", folder.path("state"), "--no-panel", "--config", configuration,
          "--receiver", receiver,
        ], environment: environment)
    }

    func waitFor(_ prefix: String, after count: Int = 0) async throws -> String {
      try await manager.received.first(prefix) { received in
        received.lines.dropFirst(count).first { $0.hasPrefix(prefix) }
      }
    }

    func isReady(times: Int) async throws {
      _ = try await manager.received.first("READY") { received in
        received.lines.count { $0.hasPrefix("READY=1\\nSTATUS=running") } == times ? true : nil
      }
    }

    /// The status lines, in order.
    var statuses: [String] {
      manager.received.value.lines.compactMap { line in
        line.range(of: "STATUS=").map { String(line[$0.upperBound...]) }
      }
    }

    /// Waits until a status line contains a text, after a number of lines.
    func waitForStatus(_ part: String, after count: Int = 0) async throws {
      _ = try await manager.received.first(part) { _ in statuses.dropFirst(count).first { $0.contains(part) } }
    }

    func stop() async throws {
      process.kill(SIGTERM)
      let end = try await process.finish()
      #expect(end.end == .exit(0), "\(end.errors)")
    }
  }

  @Test func `the daemon reports readiness, reloads and its end, with no watchdog message and no thread of Dispatch`()
    async throws
  {
    let service = try Service()
    let ready = try await service.waitFor("READY=1\\nSTATUS=")
    #expect(ready.hasSuffix("STATUS=running") && service.manager.received.value.lines.first == ready)
    let answered = try await Child(Program.onefix, ["status", "--socket", service.folder.path("s")]).finish()
    #expect(answered.end == .exit(0))
    // Other users cannot access a new file of the daemon, if the daemon sets no permissions.
    let process = try String(contentsOfFile: "/proc/\(service.process.pid)/status", encoding: .utf8)
    #expect(process.contains("Umask:\t0077\n"))
    service.process.kill(SIGHUP)
    #expect(try await service.waitFor("RELOADING=1").contains("MONOTONIC_USEC="))
    try await service.isReady(times: 2)
    // The interface that registers another executor with the runtime is known only for these compilers. As soon as one
    // Dispatch thread exists, Dispatch wakes up each second without need.
    #if compiler(>=6.3) && compiler(<6.4)
      let own = try ["onefixd", "NIO-", "SGLTN-TP-"].flatMap { try threads(of: service.process.pid, named: $0) }
      #expect(try Set(own) == Set(threads(of: service.process.pid, named: "")))
    #endif
    _ = try service.folder.write("nonsense = 1", to: "onefix.toml")
    service.process.kill(SIGHUP)
    try await service.isReady(times: 3)
    try await service.waitForStatus(
      "; the configuration on the disk has an error: the former configuration stays in force")
    _ = try service.folder.write("gateway = \"boat-7\"", to: "onefix.toml")
    service.process.kill(SIGHUP)
    try await service.waitForStatus("; from the next start on: gateway")
    try await service.stop()
    _ = try await service.waitFor("STOPPING=1")
    #expect(service.manager.count(of: "WATCHDOG=1") == 0)
  }

  @Test func `the end of a reload is never reported after the begin of the stop`() async throws {
    let service = try Service()
    _ = try await service.waitFor("READY=1")
    for _ in 0..<20 { service.process.kill(SIGHUP) }
    _ = try await service.waitFor("RELOADING=1")
    for _ in 0..<20 { service.process.kill(SIGHUP) }
    try await service.stop()
    _ = try await service.waitFor("STOPPING=1")
    let last = service.manager.received.value.lines.drop { !$0.hasPrefix("STOPPING=1") }
    #expect(!last.contains { $0.hasPrefix("RELOADING=1") || $0.hasPrefix("READY=1") }, "\(last)")
  }

  @Test func `the status follows changes and is never repeated, and watchdog messages come periodically`() async throws
  {
    let folder = try Folder()
    let log = try folder.write(RecordedLog.walk(seconds: 8), to: "walk.nmea")
    let service = try Service(in: folder, watchdogMicroseconds: 40_000, receiver: "replay:\(log)")
    try await service.waitForStatus("running")
    let app = try Peer(service.folder.path("s"))
    #expect(try await app.reply(to: "HELLO 1 app=peer").hasPrefix("+OK"))
    #expect(try await Child(Program.onefix, ["lock", "--socket", folder.path("s")]).finish().end == .exit(0))
    try await service.waitForStatus("; locked")
    try await app.disconnect()
    // When the log ends, the receiver is absent.
    try await service.waitForStatus("receiver absent")
    _ = try await eventually("watchdog messages") { service.manager.count(of: "WATCHDOG=1") > 5 ? true : nil }
    try await service.stop()
    let statuses = service.statuses
    #expect(zip(statuses, statuses.dropFirst()).allSatisfy { $0 != $1 }, "\(statuses)")
    let parts = Set(statuses.flatMap { $0.components(separatedBy: "; ") })
    #expect(parts == ["running", "receiver absent", "locked"], "no part shows the fix or the app")
  }

  @Test func `an app's port is open at readiness, and a missing port does not delay the others`() async throws {
    let terminal = try ConsoleTerminal()
    let service = try Service(
      configuration: """
        [[serial]]
        port = "\(terminal.path)"
        app = "peer"
        baud = 9600
        [[serial]]
        port = "/dev/onefix-nowhere"
        app = "other"

        """)
    _ = try await service.waitFor("READY=1")
    #expect(terminal.isRaw(speed: 9600))
    try await service.process.reported("port absent; trying again", "/dev/onefix-nowhere")
    try await service.stop()
  }

  /// The sockets exist for the time that a client that does not read gets at the end. Such a client is disconnected
  /// after 10 s. On a busy machine this can happen first, or the end can take that long for other reasons.
  @Test func `the daemon reports that it stops before it notifies its clients, and does not wait for a deaf one`()
    async throws
  {
    for _ in 0..<40 {
      let service = try Service()
      _ = try await service.waitFor("READY=1")
      let deaf = try RawSocket.connect(service.folder.path("s"))
      deaf.send("HELLO 1 app=peer keepalive=0\n")
      let many = [[UInt8]](repeating: Array("nonsense\n".utf8), count: 500).flatMap { $0 }
      var refused = 0
      _ = try await eventually("a full queue") {
        guard let taken = deaf.send(many) else { return true }
        refused = taken == 0 ? refused + 1 : 0
        return refused > 10 ? true : nil
      }
      let asked = ContinuousClock.now
      service.process.kill(SIGTERM)
      _ = try await service.waitFor("STOPPING=1")
      let isThere = service.folder.has("s")
      #expect(try await service.process.finish().end == .exit(0))
      if isThere, ContinuousClock.now - asked < .seconds(9) { return }
    }
    Issue.record("each time the sockets were removed too early, or the end was late")
  }

  /// strace traces the thread that reads the port and owns the state, and is itself stopped, so that the thread stays
  /// in its next system call.
  @Test(
    .needs("apt-get install strace", Program.isInstalled("strace")),
    .enabled(if: Program.mayTrace, "strace may not trace other processes"))
  func `if the receiver's thread is stuck, its name is logged, and the watchdog messages continue after it replies`()
    async throws
  {
    let terminal = try Terminal()
    let service = try Service(watchdogMicroseconds: 2_000_000, receiver: "uart:\(terminal.path):9600")
    _ = try await service.waitFor("READY=1")
    _ = try await service.waitFor("WATCHDOG=1")
    let threads = try threads(of: service.process.pid, named: "NIO-ELT")
    #expect(threads.count == 1)
    let tracer = try Child(
      "strace", ["-o", service.folder.path("trace")] + threads.flatMap { ["-p", "\($0)"] })
    try await tracer.reported("attached", times: threads.count)
    tracer.kill(SIGSTOP)
    // The thread can reach its next system call after the check of this interval.
    let count = service.process.errors.value.lines.count
    _ = try await service.process.errors.first("the report of a stuck receiver") { received in
      received.lines.dropFirst(count).first {
        $0.contains("hangs") && $0.contains("receiver") && $0.contains("gateway")
      }
    }
    let fed = service.manager.count(of: "WATCHDOG=1")
    // Without a tracer the threads continue.
    tracer.kill(SIGKILL)
    _ = try await eventually("a watchdog message") { service.manager.count(of: "WATCHDOG=1") > fed ? true : nil }
    try await service.stop()
  }

  private func threads(of process: pid_t, named prefix: String) throws -> [Int32] {
    let folder = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap(Int32.init).filter { thread in
      (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8))?.hasPrefix(prefix) ?? false
    }
  }
}

extension Program {
  static func isInstalled(_ name: String) -> Bool {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { unsafe access("\($0)/\(name)", X_OK) == 0 }
  }
}
