import Base
import Hardware
import Logging
import OperatingSystem
import Ports

/// Runs the tasks that read the buttons and the GNSS receiver, and the task that maintains the disclosure log (the log
/// of fixes sent to apps). The tasks pass all data of the devices to the gateway.
struct BoardReader: Sendable {
  let gateway: Gateway
  /// A stream of the power state of the GNSS receiver after each change: true for on, false for off. A newer element
  /// replaces an element that was not read yet.
  let supplyStates: AsyncStream<Bool>

  /// The time between two maintenances of the disclosure log (the log of fixes sent to apps). One maintenance removes
  /// old entries. It verifies the log only if the condition of the log is not known, as at the start, or if the latest
  /// verification or maintenance failed.
  private static let maintenancePeriod: Duration = .seconds(3600)

  private var dependencies: GatewayDependencies { gateway.dependencies }

  /// Reads the GNSS receiver and the buttons until the surrounding task is cancelled.
  /// - Throws: `HardwareError` if a device cannot be opened at the start.
  func run() async throws {
    try await withThrowingTaskGroup { group in
      for button in dependencies.buttons { group.addTask { try await follow(button) } }
      group.addTask {
        if dependencies.receiver.power == nil { try await receive() } else { try await receiveWhileSupplied() }
      }
      group.addTask { await maintainLog() }
      // A failure of one task cancels all other tasks of the group.
      for try await _ in group {}
    }
  }

  /// Passes the edges (changes of the level) of a button to the gateway. If the button fails later, the function opens
  /// it again.
  private func follow(_ button: GatewayDependencies.Button) async throws {
    let name = button.profile.name
    while !Task.isCancelled {
      do {
        try await button.input.run { event in await gateway.receive(event, of: name) }
        return
      } catch is CancellationError {
        return
      } catch {
        guard await gateway.isReady(button: name) else { throw error }
        await gateway.loseButton(name, cause: "\(error)")
      }
      try await SystemClock.sleep(until: SystemClock.monotonic + Board.retryTime)
    }
  }

  /// Reads the GNSS receiver whenever its power is on.
  private func receiveWhileSupplied() async throws {
    for await _ in supplyStates {
      // The state from the stream may be out of date, so the code asks the gateway for the present state of the supply.
      guard await gateway.isReceiverOn else { continue }
      // A new task does not inherit the executor of its creator, so the code sets the executor.
      let reading = Task(executorPreference: LoopExecutor(gateway.eventLoop)) { try await receive() }
      await gateway.setReading(reading)
      do {
        try await withTaskCancellationHandler {
          try await reading.value
        } onCancel: {
          reading.cancel()
        }
      } catch is CancellationError {
        // The supply was switched off.
      }
    }
  }

  /// Reads the GNSS receiver until the task is cancelled. If the receiver fails later, the function opens its serial
  /// port again.
  private func receive() async throws {
    while !Task.isCancelled {
      do {
        switch dependencies.receiver.source {
        case .bytes(let port):
          try await port.run(
            opened: { await gateway.receiverOpened() },
            { bytes, arrived in gateway.take(.bytes(bytes, at: arrived)) })
        case .epochs(let port):
          try await port.run(
            opened: { await gateway.receiverOpened() }, { epoch in await gateway.receive(.epoch(epoch)) })
        }
        try Task.checkCancellation()
        await gateway.receiverLost("\(dependencies.receiver.source.name) has ended")
        // A real receiver may deliver data again later. A recording delivers no data after its end.
        guard dependencies.receiver.source.isLive else { return try await sleepUntilCancelled() }
      } catch is CancellationError {
        return
      } catch {
        guard await gateway.wasReceiverOpen else { throw error }
        await gateway.receiverLost("\(error)")
      }
      try await SystemClock.sleep(until: SystemClock.monotonic + Board.retryTime)
    }
  }

  private func maintainLog() async {
    do {
      while true {
        try await LogMaintenance.run(on: gateway)
        try await SystemClock.sleep(until: SystemClock.monotonic + Self.maintenancePeriod)
      }
    } catch {
      // The task was cancelled.
    }
  }

  private func sleepUntilCancelled() async throws {
    while true { try await Task.sleep(for: .seconds(86_400)) }
  }
}

extension Gateway {
  fileprivate func isReady(button name: String) -> Bool { router.buttons.isReady(name) }

  fileprivate var isReceiverOn: Bool { router.receiver.isOn }

  fileprivate var wasReceiverOpen: Bool { board.wasReceiverOpen }

  fileprivate func setReading(_ reading: Task<Void, any Error>) {
    board.reading = reading
    // The supply may have been switched off since the task of the reading began.
    if !router.receiver.isOn { reading.cancel() }
  }
}
