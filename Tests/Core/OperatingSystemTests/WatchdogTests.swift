import Requirements
import Synchronization
import Testing

@testable import OperatingSystem

extension DatagramSocket {
  /// The next message that has already arrived, or nil.
  fileprivate var nextMessage: String? { next().map { String(decoding: $0, as: UTF8.self) } }
}

/// A part that replies only while it is not stopped.
private final class Stoppable: Sendable {
  private let state = Mutex((isStopped: false, waiting: [CheckedContinuation<Void, Never>]()))

  func stop() { state.withLock { $0.isStopped = true } }

  func go() {
    let waiting = state.withLock { state in
      state.isStopped = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func respond() async {
    await withCheckedContinuation { continuation in
      let isStopped = state.withLock { state in
        if state.isStopped { state.waiting.append(continuation) }
        return state.isStopped
      }
      if !isStopped { continuation.resume() }
    }
  }
}

@Suite struct ServiceManagerTests {
  @Test(arguments: [false, true]) func `a message reaches the socket, also one with an abstract name`(
    isAbstract: Bool
  ) throws {
    let listening = try DatagramSocket(isAbstract: isAbstract)
    ServiceManager(socketName: listening.name).notify("READY=1\nSTATUS=up")
    #expect(listening.nextMessage == "READY=1\nSTATUS=up")
    #expect(listening.nextMessage == nil)
  }

  @Test(.patient) func `a required message waits for room, and a status does not`() async throws {
    let listening = try DatagramSocket()
    let manager = ServiceManager(socketName: listening.name)
    while manager.notify("STATUS=up") {}
    let insisting = Task { await manager.notifyReliably("READY=1") }
    var heard = listening.nextMessage
    while heard != "READY=1" {
      await Task.yield()
      heard = listening.nextMessage
    }
    await insisting.value
    #expect(listening.nextMessage == nil)
  }

  @Test(arguments: [nil, "", "/", "/nowhere/socket", String(repeating: "s", count: 200)])
  func `without a service manager, messages are ignored`(name: String?) {
    #expect(!ServiceManager(socketName: name).notify("READY=1"))
  }
}

@Suite(.patient) struct WatchdogTests {
  private func watchdog(_ environment: [String: String]) -> Duration? {
    Watchdog(process: 7) { environment[$0] }?.interval
  }

  @Test func `the watchdog is requested by the environment, for this process only`() {
    #expect(watchdog(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
    #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(15))
    #expect(watchdog(["WATCHDOG_USEC": "2"]) == .microseconds(1))
    for refused in [
      [:], ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "1"], ["WATCHDOG_USEC": "-5"],
      ["WATCHDOG_USEC": "soon"], ["WATCHDOG_PID": "7"], ["WATCHDOG_USEC": "9", "WATCHDOG_PID": "me"],
    ] {
      #expect(watchdog(refused) == nil)
    }
  }

  @Test func `one part that hangs stops the notifications and is named once, and they continue when it replies`()
    async throws
  {
    let (alive, feed) = AsyncStream.makeStream(of: Void.self)
    let (stuck, name) = AsyncStream.makeStream(of: [String].self)
    let (intervals, ended) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (first, second) = (Stoppable(), Stoppable())
    let listening = try DatagramSocket()
    let manager = ServiceManager(socketName: listening.name)
    let parts = [
      Watchdog.Part("gateway") { await first.respond() }, Watchdog.Part("receiver") { await second.respond() },
    ]
    let running = Task {
      // Long enough for the other part to reply on a busy machine.
      await Watchdog(
        interval: .milliseconds(100),
        sleep: {
          try await Watchdog.sleep($0)
          ended.yield()
        }
      ).run(
        parts,
        isAlive: {
          manager.notify("WATCHDOG=1")
          feed.yield()
        }, isStuck: { name.yield($0) })
    }
    var feeding = alive.makeAsyncIterator()
    var naming = stuck.makeAsyncIterator()
    var passing = intervals.makeAsyncIterator()
    for part in [second, first] {
      await feeding.next()
      part.stop()
      #expect(await naming.next() == (part === first ? ["gateway"] : ["receiver"]))
      // All earlier notifications have been sent, so silence is expected from here on.
      while listening.nextMessage != nil {}
      for _ in 0..<5 { await passing.next() }
      #expect(listening.nextMessage == nil)
      part.go()
      await feeding.next()
      var heard: String?
      while heard == nil {
        await Task.yield()
        heard = listening.nextMessage
      }
      #expect(heard == "WATCHDOG=1")
    }
    running.cancel()
    await running.value
  }

  @Test func `a part that hangs does not delay the end`() async {
    let part = Stoppable()
    part.stop()
    let running = Task {
      await Watchdog(interval: .seconds(3600)).run(
        [Watchdog.Part("receiver") { await part.respond() }], isAlive: {}, isStuck: { _ in })
    }
    running.cancel()
    await running.value
    part.go()
  }
}
