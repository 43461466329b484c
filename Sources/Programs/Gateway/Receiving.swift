import Clocks
import GNSS
import Hardware
import LineProtocol
import Ports
import Logging
import Telemetry
import OperatingSystem

/// What must be there before the gateway can be used.
struct Readiness {
  var isReceiverOpen = false
  var buttons: Set<String> = []
  var waiting: [CheckedContinuation<Void, any Error>] = []
  /// Why the gateway will never be ready.
  var failure: (any Error)?
}

/// The receiver's port: opened, read, and opened again when it was unplugged.
extension Gateway {
  /// How long to wait before an absent receiver is tried again.
  static let retryTime: Duration = .seconds(1)

  /// Runs the board: the receiver and the buttons, until the surrounding task is cancelled.
  /// - Throws: `HardwareError` where a device cannot be had at the start.
  package func run() async throws {
    noteUnsentSettings()
    // What was taken back while nobody ran does not wait.
    tendOutbox(at: SystemClock.monotonic)
    for button in setup.buttons { buttons[button.profile.name] = ButtonState(profile: button.profile) }
    if supply != nil {
      // It is opened once it is needed.
      reception.switchedOff()
      readiness.isReceiverOpen = true
    }
    do {
      // What ports and buttons hand over comes here without the way over another thread.
      try await withTaskExecutorPreference(LoopExecutor(eventLoop)) {
        try await runBoard()
      }
    } catch {
      readiness.failure = error
      announceReadiness()
      throw error
    }
  }

  private func runBoard() async throws {
    try await withThrowingTaskGroup { group in
      for button in setup.buttons { group.addTask { try await self.follow(button) } }
      group.addTask {
        if self.setup.receiverPower == nil {
          try await self.receive()
        } else {
          try await self.receiveWhileSupplied { try await self.receive() }
        }
      }
      group.addTask { await self.keepLog() }
      // The first that ends in an error ends the others.
      for try await _ in group {}
    }
  }

  /// Returns when the board is ready: the receiver's port is open and every button has told how it is.
  package func becomeReady() async throws {
    try await withCheckedThrowingContinuation {
      readiness.waiting.append($0); announceReadiness()
    }
  }

  func announceReadiness() {
    if let failure = readiness.failure {
      for waiting in readiness.waiting { waiting.resume(throwing: failure) }
    } else if readiness.isReceiverOpen, readiness.buttons.count == setup.buttons.count {
      for waiting in readiness.waiting { waiting.resume() }
    } else {
      return
    }
    readiness.waiting = []
  }

  private func receive() async throws {
    var wasOpened = false
    while !Task.isCancelled {
      do {
        switch setup.receiver {
        case .bytes(let port): try await run(port)
        case .epochs(let port):
          try await port.run(opened: { await self.receiverOpened() }, { epoch in await self.received(epoch) })
        }
        try Task.checkCancellation()
        receiverLost("\(setup.receiver.name) has ended")
        // A live port that ends was closed at the other side and may come back; a log that ends has been told.
        guard setup.receiver.isLive else { return try await sleepUntilCancelled() }
      } catch is CancellationError {
        return
      } catch {
        wasOpened = wasOpened || readiness.isReceiverOpen
        guard wasOpened else { throw error }
        receiverLost("\(error)")
      }
      try await SystemClock.sleep(until: SystemClock.monotonic + Self.retryTime)
    }
  }

  private func sleepUntilCancelled() async throws {
    while true { try await Task.sleep(for: .seconds(86_400)) }
  }

  func receiverOpened() {
    reception.opened()
    counts.receiverOpened = SystemClock.monotonic
    lineLoad = LineLoad()
    readiness.isReceiverOpen = true
    announceReadiness()
    receiverChanged()
    loggers.receiver.info("receiver open", metadata: ["receiver": "\(setup.receiver.name)"])
    let now = SystemClock.monotonic
    let isSpeedKnown = commandPort?.isSpeedKnown ?? false
    configure { $0.opened(isSpeedKnown: isSpeedKnown, at: now) }
    settle(at: now)
  }

  private func receiverLost(_ cause: String) {
    let isNews = reception.condition.state != .absent || reception.condition.cause != cause
    reception.lost(cause: cause)
    counts.receiverOpened = nil
    configure { setup in
      setup.lost()
      return []
    }
    guard isNews else { return }
    counts.receiverLosses += 1
    loggers.receiver.warning("receiver absent", metadata: ["cause": "\(cause)"])
    receiverChanged()
  }

  func received(_ bytes: [UInt8], at arrived: MonotonicInstant) {
    // What was on its way when it was switched off is of no use.
    guard supply?.isOn != false else { return }
    noteLoad(bytes.count, at: arrived)
    configure { $0.spoke(at: SystemClock.monotonic) }
    received { $0.take(bytes, at: arrived) }
  }

  private func received(_ epoch: Epoch) {
    guard supply?.isOn != false else { return }
    received { $0.take(epoch) }
  }

  private func received(_ take: (inout Reception) -> Void) {
    let before = reception.condition
    reception.today = clock.utc.date
    let now = SystemClock.monotonic
    take(&reception)
    serveEpochs(at: now)
    attend(at: now)
    if before != reception.condition { receiverChanged() }
    settle(at: now)
  }

  /// Each epoch that is complete is served before the next.
  /// - Returns: whether there was one.
  @discardableResult
  func serveEpochs(at now: MonotonicInstant) -> Bool {
    var wasServed = false
    while reception.takeNext() {
      noteFirstFix(at: now)
      servePending(at: now)
      watchRegions(at: now)
      wasServed = true
    }
    return wasServed
  }

  /// Counts how long the receiver took to its first fix since it is listened to.
  func noteFirstFix(at now: MonotonicInstant) {
    guard let opened = counts.receiverOpened, reception.condition.state == .ready else { return }
    counts.receiverOpened = nil
    counts.timeToFirstFix.observe(now - opened)
  }

  /// Takes what the receiver has said beside its epochs, and says what is not right with its date.
  func attend(at now: MonotonicInstant) {
    for message in reception.takeHeard() { configure { $0.receive(message, at: now) } }
    switch reception.takeDoubt() {
    case nil: break
    case .rolledOver(let taken):
      loggers.receiver.warning(
        "the receiver's date is older than it can be: its GPS week has rolled over, and the date was moved",
        metadata: [
          "taken": "\(Gateway.text(taken))",
          "remedy": "update the receiver's firmware; until then compare the date with another clock",
        ])
    case .old(let date):
      loggers.receiver.warning(
        "the receiver's date is years old, and by this machine's clock no rollover of the GPS week: it is left as it is",
        metadata: [
          "said": "\(Gateway.text(date))",
          "remedy": "is a recorded log played to the port? see replay:FILE; else is this machine's clock right?",
        ])
    }
  }

  /// As in `2026-11-21`.
  private static func text(_ date: UTCDate) -> String {
    TimeOfDay(hour: 0, minute: 0, second: 0).map { String(UTCTime(date: date, timeOfDay: $0).iso8601.prefix(10)) } ?? ""
  }

  func receiverChanged() {
    let json = receiverJSON
    if json != toldReceiver {
      toldReceiver = json
      for session in sessions.values { session.tell(.receiver, json) }
    }
    tellOwners(.receiver, ownerReceiverJSON)
    settle(at: SystemClock.monotonic)
  }

  /// As apps see it: there, or not.
  var receiverJSON: String {
    reception.condition.state == .absent ? #"{"state":"absent"}"# : #"{"state":"present"}"#
  }

  var ownerReceiverJSON: String {
    let condition = reception.condition
    var object = JSONObject()
    object.add("state", condition.state.rawValue)
    object.add("fix", condition.mode?.name)
    object.add("sats", condition.satellitesUsed)
    object.add("hdop", condition.hdop)
    object.add("dateCorrected", condition.isDateCorrected ? true : nil)
    object.add("cause", condition.cause)
    return object.text
  }
}
