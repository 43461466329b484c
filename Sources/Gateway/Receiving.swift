import Clocks
import GNSS
import Hardware
import LineProtocol
import Logging
import SystemClock

/// What must be there before the gateway can be used.
struct Readiness {
  var isReceiverOpen = false
  var buttons: Set<String> = []
  var isAnnounced = false
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
    for button in setup.buttons { buttons[button.profile.name] = ButtonState(profile: button.profile) }
    do {
      try await withThrowingTaskGroup { group in
        for button in setup.buttons { group.addTask { try await self.follow(button) } }
        group.addTask { try await self.receive() }
        group.addTask { await self.keepLog() }
        // The first that ends in an error ends the others.
        for try await _ in group {}
      }
    } catch {
      readiness.failure = error
      announceReadiness()
      throw error
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
        case .bytes(let port):
          try await port.run(
            opened: { await self.receiverOpened() },
            { bytes, arrived in await self.received(bytes, at: arrived) })
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

  private func receiverOpened() {
    reception.opened()
    readiness.isReceiverOpen = true
    announceReadiness()
    receiverChanged()
    logger.info("receiver open", metadata: ["receiver": "\(setup.receiver.name)"])
  }

  private func receiverLost(_ cause: String) {
    let isNews = reception.condition.state != .absent || reception.condition.cause != cause
    reception.lost(cause: cause)
    guard isNews else { return }
    logger.warning("receiver absent", metadata: ["cause": "\(cause)"])
    receiverChanged()
  }

  private func received(_ bytes: [UInt8], at arrived: MonotonicInstant) {
    received { $0.take(bytes, at: arrived) }
  }

  private func received(_ epoch: Epoch) {
    received { $0.take(epoch) }
  }

  /// - Parameter take: whether an epoch is complete with what was received.
  private func received(_ take: (inout Reception) -> Bool) {
    let before = reception.condition
    reception.today = clock.utc.date
    let now = SystemClock.monotonic
    if take(&reception) { servePending(at: now) }
    if before != reception.condition { receiverChanged() }
    settle(at: now)
  }

  func receiverChanged() {
    let json = receiverJSON
    if json != toldReceiver {
      toldReceiver = json
      for id in sessions.keys { sessions[id]?.tell(.receiver, json) }
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
    object.add("cause", condition.cause)
    return object.text
  }
}
