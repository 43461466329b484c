import Base
import Glibc
package import Hardware
package import Logging
import OperatingSystem
import Synchronization

/// A reader of the level changes (edges) of all buttons. Its own thread delivers each level change as soon as the
/// kernel reports the change. The thread may have a real-time priority.
///
/// The thread sleeps in poll(2) until a level change arrives, or until a device is removed from `/dev`. Callers wake
/// the thread to add or remove a button, or to request a confirmation or a response.
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
    /// Whether the thread must send an event `confirmed` when the thread has delivered all level changes.
    var mustConfirm = false
    /// The calls of `respond` that wait for an answer of the thread.
    var pendingChecks: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let wakeSocket: WakeSocket
  /// The inotify descriptor for the removal of devices from `/dev`; negative if inotify is not available.
  private let removals: Int32
  private let priority: Int?
  private let logger: Logger

  /// Creates a reader without a thread. The first call of `events` starts the thread.
  ///
  /// - Parameters:
  ///   - priority: the real-time priority of the thread, 1...99 (SCHED_FIFO); nil for normal scheduling. If the
  ///     priority is not permitted, the reader logs a warning.
  /// - Throws: `HardwareError` if the kernel provides no file descriptors.
  package init(priority: Int? = nil, logger: Logger) throws(HardwareError) {
    do { wakeSocket = try WakeSocket() } catch { throw GPIOLine.refusal("open", "a socket", error.number) }
    removals = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if removals >= 0 { _ = unsafe inotify_add_watch(removals, "/dev", UInt32(IN_DELETE)) }
    self.priority = priority
    self.logger = logger
  }

  deinit { if removals >= 0 { close(removals) } }

  /// Returns the events of a source of level changes (edges). The first event is the present level of its GPIO line.
  /// The sequence throws an error when the GPIO line disappears.
  package func events(of source: any EdgeSource) -> Events {
    let (events, continuation) = Events.makeStream()
    do {
      // The kernel keeps all edges after this level until the thread reads the edges.
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
      // The source is released outside the lock, because its deinitializer may need the lock.
      let removed = self?.state.withLock { $0.watched.removeValue(forKey: number) }
      if removed != nil { self?.wakeSocket.wake() }
    }
    if needsThread { start() } else { wakeSocket.wake() }
    return events
  }

  /// Waits until the thread responds, which proves that the thread does not hang. Returns immediately if there is no
  /// thread.
  package func respond() async {
    await withCheckedContinuation { continuation in
      let hasThread = state.withLock { state in
        if state.hasThread { state.pendingChecks.append(continuation) }
        return state.hasThread
      }
      if hasThread { wakeSocket.wake() } else { continuation.resume() }
    }
  }

  /// Requests an event `confirmed` for each button. The event contains the instant until which all level changes
  /// (edges) were delivered.
  package func confirmEdges() {
    state.withLock { $0.mustConfirm = true }
    wakeSocket.wake()
  }

  // MARK: The thread

  private func start() {
    do {
      try startThread { self.run() }
    } catch {
      let error = GPIOLine.refusal("start", "the thread that reads buttons", error.number)
      let (watched, pendingChecks) = state.withLock { state in
        state.hasThread = false
        defer { (state.watched, state.pendingChecks) = ([:], []) }
        return (state.watched, state.pendingChecks)
      }
      for entry in watched.values { entry.continuation.finish(throwing: error) }
      for continuation in pendingChecks { continuation.resume() }
    }
  }

  /// Processes level changes (edges) on the reader's thread, until no button is left.
  private func run() {
    setPriority()
    while let (sources, confirmation) = sourcesOrEnd() {
      var polled = [pollfd(fd: wakeSocket.descriptor, events: Int16(POLLIN), revents: 0)]
      polled.append(pollfd(fd: removals, events: Int16(POLLIN), revents: 0))
      polled += sources.map { pollfd(fd: $0.value.descriptor, events: Int16(POLLIN), revents: 0) }
      // If a caller waits for a confirmation, poll(2) must not wait.
      guard unsafe poll(&polled, nfds_t(polled.count), confirmation == nil ? -1 : 0) >= 0 else {
        if confirmation != nil { state.withLock { $0.mustConfirm = true } }
        continue
      }
      if polled[0].revents != 0 { wakeSocket.drain() }
      for (entry, result) in zip(sources, polled.dropFirst(2)) where result.revents != 0 {
        read(entry.key, entry.value, isRemoved: result.revents & Int16(POLLIN) == 0)
      }
      if polled[1].revents != 0 {
        discardInput(of: removals)
        endRemoved(sources)
      }
      if let confirmation { confirm(until: confirmation, sources.map(\.key)) }
    }
  }

  /// Returns the present sources of level changes (edges), or nil if there are none. `confirmation` is the present
  /// instant if a caller has requested events `confirmed`, and nil otherwise.
  private func sourcesOrEnd() -> (sources: [(key: UInt64, value: any EdgeSource)], confirmation: MonotonicInstant?)? {
    let (sources, mustConfirm, pendingChecks) = state.withLock { state in
      defer { (state.mustConfirm, state.pendingChecks) = (false, []) }
      if state.watched.isEmpty { state.hasThread = false }
      return (state.watched.map { (key: $0.key, value: $0.value.source) }, state.mustConfirm, state.pendingChecks)
    }
    for continuation in pendingChecks { continuation.resume() }
    return sources.isEmpty ? nil : (sources, mustConfirm ? SystemClock.monotonic : nil)
  }

  private func confirm(until instant: MonotonicInstant, _ numbers: [UInt64]) {
    let continuations = state.withLock { state in numbers.compactMap { state.watched[$0]?.continuation } }
    for continuation in continuations { continuation.yield(.confirmed(until: instant)) }
  }

  private func read(_ number: UInt64, _ source: any EdgeSource, isRemoved: Bool) {
    // If the source was removed in the meantime, the function does not read the edges, because the edges belong to the
    // next reader of that source.
    guard state.withLock({ $0.watched[number] != nil }) else { return }
    do {
      guard !isRemoved else { throw Self.removalError(source) }
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

  /// Ends the events of each button whose GPIO chip was removed. The function checks whether the chip's file in `/dev`
  /// exists, because poll(2) does not report the removal.
  private func endRemoved(_ sources: [(key: UInt64, value: any EdgeSource)]) {
    for (number, source) in sources {
      guard let device = source.device, unsafe access("/dev/\(device)", F_OK) != 0 else { continue }
      end(number, Self.removalError(source))
    }
  }

  private func end(_ number: UInt64, _ error: any Error) {
    let watched = state.withLock { $0.watched.removeValue(forKey: number) }
    watched?.continuation.finish(throwing: error)
  }

  private static func removalError(_ source: any EdgeSource) -> HardwareError {
    HardwareError(.absent, "read", source.name, cause: "its chip was removed", remedy: "see gpiodetect")
  }

  private func setPriority() {
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
}
