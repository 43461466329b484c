import Glibc
import Synchronization
import Testing

@testable import Telemetry

/// A service manager's end: a socket that takes datagrams.
private final class Listening: Sendable {
  let name: String
  private let descriptor: Int32
  /// Removed at the end; nil where the name is abstract.
  private let path: String?

  init(isAbstract: Bool = false) throws {
    let plain = "/tmp/onefix-notify-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    path = isAbstract ? nil : plain
    name = isAbstract ? "@\(plain)" : plain
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = (isAbstract ? [0] : []) + Array(plain.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in unsafe field.copyBytes(from: bytes) }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let length = socklen_t(2 + bytes.count)
    // The address is good for the call.
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
    }
    try #require(result == 0)
  }

  deinit {
    close(descriptor)
    if let path { _ = unsafe unlink(path) }
  }

  /// The next message that is there already; nil where there is none.
  var next: String? {
    var bytes = [UInt8](repeating: 0, count: 256)
    // Reads into the array's own storage, no more than it has.
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// A part that answers only while it is let.
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

  func answer() async {
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
  @Test(arguments: [false, true]) func `what is said reaches the socket, also one with an abstract name`(
    isAbstract: Bool
  ) throws {
    let listening = try Listening(isAbstract: isAbstract)
    ServiceManager(socketName: listening.name).notify("READY=1\nSTATUS=up")
    #expect(listening.next == "READY=1\nSTATUS=up")
    #expect(listening.next == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `what is said once waits for its room, and a status does not`() async throws {
    let listening = try Listening()
    let manager = ServiceManager(socketName: listening.name)
    while manager.notify("STATUS=up") {}
    let insisting = Task { await manager.insist("READY=1") }
    var heard = listening.next
    while heard != "READY=1" {
      await Task.yield()
      heard = listening.next
    }
    await insisting.value
    #expect(listening.next == nil)
  }

  @Test(arguments: [nil, "", "/", "/nowhere/socket", String(repeating: "s", count: 200)])
  func `where nobody listens nothing happens`(name: String?) {
    ServiceManager(socketName: name).notify("READY=1")
  }
}

@Suite(.timeLimit(.minutes(1))) struct WatchdogTests {
  private func watchdog(_ environment: [String: String]) -> Duration? {
    Watchdog(process: 7) { environment[$0] }?.interval
  }

  @Test func `it is asked for by the environment, and of this process alone`() {
    #expect(watchdog(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
    #expect(watchdog(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(15))
    for refused in [
      [:], ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"],
      ["WATCHDOG_USEC": "soon"], ["WATCHDOG_PID": "7"], ["WATCHDOG_USEC": "9", "WATCHDOG_PID": "me"],
    ] {
      #expect(watchdog(refused) == nil)
    }
  }

  @Test func `one stuck part stops the feeding, is named once, and what goes on again is fed again`() async throws {
    let (alive, feed) = AsyncStream.makeStream(of: Void.self)
    let (stuck, name) = AsyncStream.makeStream(of: [String].self)
    let (first, second) = (Stoppable(), Stoppable())
    let listening = try Listening()
    let manager = ServiceManager(socketName: listening.name)
    let parts = [
      Watchdog.Part("gateway") { await first.answer() }, Watchdog.Part("receiver") { await second.answer() },
    ]
    let running = Task {
      // Long enough for the part that is not stuck to answer on a busy machine.
      await Watchdog(interval: .milliseconds(100)).run(
        parts,
        isAlive: {
          manager.notify("WATCHDOG=1")
          feed.yield()
        }, isStuck: { name.yield($0) })
    }
    var feeding = alive.makeAsyncIterator()
    var naming = stuck.makeAsyncIterator()
    for part in [second, first] {
      await feeding.next()
      part.stop()
      #expect(await naming.next() == (part === first ? ["gateway"] : ["receiver"]))
      // Whatever was fed before it was stuck has been sent: from here on it is silent.
      while listening.next != nil {}
      // Five intervals, in each of which it would be fed: the silence is the rule, and takes its time.
      try await Task.sleep(for: .milliseconds(500))
      #expect(listening.next == nil)
      part.go()
      await feeding.next()
      var heard: String?
      while heard == nil {
        await Task.yield()
        heard = listening.next
      }
      #expect(heard == "WATCHDOG=1")
    }
    running.cancel()
    await running.value
  }

  @Test func `a stuck part does not hold up the end`() async {
    let part = Stoppable()
    part.stop()
    let running = Task {
      await Watchdog(interval: .seconds(3600)).run(
        [Watchdog.Part("receiver") { await part.answer() }], isAlive: {}, isStuck: { _ in })
    }
    running.cancel()
    await running.value
    part.go()
  }
}
