import Foundation
import Glibc
import Testing

/// The daemon under a service manager, for which a socket stands.
@Suite struct ServiceTests {
  private struct Service {
    let folder: Folder
    let manager: NotifySocket
    let process: Child

    init(watchdogMicroseconds: Int? = nil, receiver: String = "simulated") throws {
      folder = try Folder()
      manager = try NotifySocket(in: folder)
      let configuration = try folder.write(Daemon.configuration, to: "onefix.toml")
      var environment = ["NOTIFY_SOCKET": manager.path]
      if let watchdogMicroseconds { environment["WATCHDOG_USEC"] = "\(watchdogMicroseconds)" }
      process = try Child(
        Program.onefixd,
        [
          "--socket", folder.path("s"), "--state", folder.path("state"), "--no-panel", "--config", configuration,
          "--receiver", receiver,
        ], environment: environment)
    }

    func hears(_ prefix: String, after count: Int = 0) async throws -> String {
      try await manager.said.first(prefix) { said in
        said.lines.dropFirst(count).first { $0.hasPrefix(prefix) }
      }
    }

    func stop() async throws {
      process.kill(SIGTERM)
      let end = try await process.finish(within: .seconds(10))
      #expect(end.end == .exit(0), "\(end.errors)")
    }
  }

  @Test func `it is ready when it can be asked, tells of a reload and of its end, and feeds nobody who did not ask`()
    async throws
  {
    let service = try Service()
    let ready = try await service.hears("READY=1\\nSTATUS=serving \(service.folder.path("s"))")
    #expect(service.manager.said.value.lines == [ready])
    let answered = try await Child(
      Program.onefix, ["status", "--socket", service.folder.path("s")]
    ).finish()
    #expect(answered.end == .exit(0))
    service.process.kill(SIGHUP)
    #expect(try await service.hears("RELOADING=1").contains("MONOTONIC_USEC="))
    _ = try await service.hears("READY=1\\nSTATUS=the configuration was read again", after: 2)
    _ = try service.folder.write("nonsense = 1", to: "onefix.toml")
    service.process.kill(SIGHUP)
    _ = try await service.hears("READY=1\\nSTATUS=the configuration on the disk is not good", after: 4)
    try await service.stop()
    _ = try await service.hears("STOPPING=1")
    #expect(service.manager.count(of: "WATCHDOG=1") == 0)
  }

  @Test func `without its receiver's port it is never ready`() async throws {
    let service = try Service(watchdogMicroseconds: 20_000, receiver: "uart:/dev/onefix-nowhere")
    #expect(try await service.process.finish().end == .exit(3))
    #expect(!service.manager.said.value.lines.contains { $0.hasPrefix("READY") })
  }

  @Test func `it says that it lives, again and again`() async throws {
    let service = try Service(watchdogMicroseconds: 40_000)
    _ = try await service.hears("READY=1")
    _ = try await eventually("a fed watchdog") { service.manager.count(of: "WATCHDOG=1") > 5 ? true : nil }
    try await service.stop()
  }

  private static var mayTrace: Bool {
    let scope = try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)
    return (geteuid() == 0 || scope?.hasPrefix("0") ?? true) && Program.isInstalled("strace")
  }

  /// strace holds the thread that reads the port and has the state, and is itself stopped: it does not come back from its
  /// next call.
  @Test(.enabled(if: mayTrace, "there is no strace, or it may not look at other processes"))
  func `what reads the receiver is stuck: nothing is fed, its name is logged, and what goes on is fed again`()
    async throws
  {
    let terminal = try Terminal()
    let service = try Service(watchdogMicroseconds: 100_000, receiver: "uart:\(terminal.path):9600")
    _ = try await service.hears("READY=1")
    _ = try await service.hears("WATCHDOG=1")
    let threads = try threads(of: service.process.pid, named: "NIO-ELT")
    #expect(threads.count == 1)
    let tracer = try Child(
      "strace", ["-o", service.folder.path("trace")] + threads.flatMap { ["-p", "\($0)"] })
    _ = try await tracer.errors.first("strace at all threads") { said in
      said.lines.count { $0.contains("attached") } >= threads.count ? true : nil
    }
    tracer.kill(SIGSTOP)
    let stuck = try await service.process.errors.first("a stuck receiver") { said in
      said.lines.first { $0.contains("stuck") }
    }
    #expect(stuck.contains("receiver") && stuck.contains("gateway"))
    let fed = service.manager.count(of: "WATCHDOG=1")
    // Ten intervals: the silence is the rule, and takes its time.
    try await Task.sleep(for: .milliseconds(500))
    #expect(service.manager.count(of: "WATCHDOG=1") == fed)
    // Without a tracer they go on.
    tracer.kill(SIGKILL)
    _ = try await eventually("a fed watchdog") { service.manager.count(of: "WATCHDOG=1") > fed ? true : nil }
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
