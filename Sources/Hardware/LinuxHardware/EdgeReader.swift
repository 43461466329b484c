import Glibc
package import Hardware
package import Logging
import Synchronization
import OperatingSystem

/// Reads the edges of all buttons on a thread of its own, which may be given a real-time priority: an edge is handed
/// over as soon as the kernel has it, whatever else the process does.
///
/// The thread sleeps in poll(2) until there is an edge, a chip's device leaves `/dev`, or a source comes or goes.
package final class EdgeReader: Sendable {
  package typealias Events = AsyncThrowingStream<EdgeEvent, any Error>

  private struct Watched {
    let source: any EdgeSource
    let continuation: Events.Continuation
    var sequence = EdgeSequence()
  }

  private struct State {
    var watched: [UInt64: Watched] = [:]
    var lastNumber: UInt64 = 0
    var hasThread = false
    /// Those who asked whether the thread lives.
    var asking: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  /// A pair of sockets that wakes the thread: sources have come or gone.
  private let wake: (reading: Int32, writing: Int32)
  /// Tells of devices that leave `/dev`; negative where that cannot be had.
  private let removals: Int32
  private let priority: Int?
  private let logger: Logger

  /// - Parameter priority: of the thread, 1...99 (SCHED_FIFO); nil for the usual scheduling. Where it is not permitted,
  ///   that is logged and reading goes on without it.
  /// - Throws: `HardwareError` where the kernel gives no descriptors.
  package init(priority: Int? = nil, logger: Logger) throws(HardwareError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw GPIOLine.refusal("open", "a socket", errno) }
    wake = (ends[0], ends[1])
    removals = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if removals >= 0 { _ = unsafe inotify_add_watch(removals, "/dev", UInt32(IN_DELETE)) }
    self.priority = priority
    self.logger = logger
  }

  deinit {
    close(wake.reading)
    close(wake.writing)
    if removals >= 0 { close(removals) }
  }

  /// The events of a source from now on, beginning with how it is. They end with an error when the line goes.
  package func events(of source: any EdgeSource) -> Events {
    let (events, continuation) = Events.makeStream()
    do {
      // What happens from here on waits in the descriptor until the thread reads it.
      continuation.yield(.initial(try source.activity(), at: SystemClock.monotonic))
    } catch {
      continuation.finish(throwing: error)
      return events
    }
    let (number, needsThread) = state.withLock { state in
      state.lastNumber += 1
      state.watched[state.lastNumber] = Watched(source: source, continuation: continuation)
      defer { state.hasThread = true }
      return (state.lastNumber, !state.hasThread)
    }
    continuation.onTermination = { [weak self] _ in
      // What is taken out ends outside the lock, whose holder its end may ask for.
      let removed = self?.state.withLock { $0.watched.removeValue(forKey: number) }
      if removed != nil { self?.wakeUp() }
    }
    if needsThread { startThread() } else { wakeUp() }
    return events
  }

  /// Returns when the thread has come by; at once where there is none.
  package func answer() async {
    await withCheckedContinuation { continuation in
      let hasThread = state.withLock { state in
        if state.hasThread { state.asking.append(continuation) }
        return state.hasThread
      }
      if hasThread { wakeUp() } else { continuation.resume() }
    }
  }

  // MARK: The thread

  private func startThread() {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        // SAFETY: retained for this thread alone, just above.
        unsafe Unmanaged<EdgeReader>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, context)
    if result == 0 {
      pthread_detach(thread)
    } else {
      unsafe Unmanaged<EdgeReader>.fromOpaque(context).release()
      let error = GPIOLine.refusal("start", "the thread that reads buttons", result)
      let (watched, asking) = state.withLock { state in
        state.hasThread = false
        defer { (state.watched, state.asking) = ([:], []) }
        return (state.watched, state.asking)
      }
      for entry in watched.values { entry.continuation.finish(throwing: error) }
      for continuation in asking { continuation.resume() }
    }
  }

  /// Runs until there is no source any more.
  private func run() {
    takePriority()
    while let sources = sourcesOrEnd() {
      var polled = [pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0)]
      polled.append(pollfd(fd: removals, events: Int16(POLLIN), revents: 0))
      polled += sources.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
      guard unsafe poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
      if polled[0].revents != 0 { drain(wake.reading) }
      for (entry, result) in zip(sources, polled.dropFirst(2)) where result.revents != 0 {
        read(entry.key, entry.value, isGone: result.revents & Int16(POLLIN) == 0)
      }
      if polled[1].revents != 0 {
        drain(removals)
        endRemoved(sources)
      }
    }
  }

  private func sourcesOrEnd() -> [(key: UInt64, value: any EdgeSource)]? {
    let (sources, asking) = state.withLock { state in
      defer { state.asking = [] }
      if state.watched.isEmpty { state.hasThread = false }
      return (state.watched.map { (key: $0.key, value: $0.value.source) }, state.asking)
    }
    for continuation in asking { continuation.resume() }
    return sources.isEmpty ? nil : sources
  }

  private func read(_ number: UInt64, _ source: any EdgeSource, isGone: Bool) {
    // Who has left meanwhile takes no edges from whoever listens to the source next.
    guard state.withLock({ $0.watched[number] != nil }) else { return }
    do {
      guard !isGone else { throw Self.gone(source) }
      let batch = try source.readEdges()
      let (events, continuation) = try state.withLock { state in
        (
          try state.watched[number]?.sequence.events(batch, activity: source.activity),
          state.watched[number]?.continuation
        )
      }
      for event in events ?? [] { continuation?.yield(event) }
    } catch {
      end(number, error)
    }
  }

  /// A chip that goes does not wake whoever polls its lines: its device tells.
  private func endRemoved(_ sources: [(key: UInt64, value: any EdgeSource)]) {
    for (number, source) in sources {
      guard let device = source.device, unsafe access("/dev/\(device)", F_OK) != 0 else { continue }
      end(number, Self.gone(source))
    }
  }

  private func end(_ number: UInt64, _ error: any Error) {
    let watched = state.withLock { $0.watched.removeValue(forKey: number) }
    watched?.continuation.finish(throwing: error)
  }

  private static func gone(_ source: any EdgeSource) -> HardwareError {
    HardwareError(.absent, "read", source.name, cause: "its chip has gone", remedy: "see gpiodetect")
  }

  private func takePriority() {
    guard let priority else { return }
    var parameters = sched_param()
    parameters.sched_priority = Int32(priority)
    let result = unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters)
    guard result != 0 else { return }
    let cause = systemErrorText(result)
    logger.warning(
      "buttons are read without real-time priority",
      metadata: [
        "cause": "\(cause)",
        "remedy": "LimitRTPRIO=\(priority) in the unit, or CAP_SYS_NICE",
      ])
  }

  private func wakeUp() {
    // One that is full wakes as well.
    _ = unsafe write(wake.writing, [1], 1)
  }

  private func drain(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while unsafe Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
  }
}
