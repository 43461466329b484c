import Authorization
import Clocks
import Hardware
import Logging

/// The receiver's supply, on boards that switch it: on only while somebody may be given a fix.
///
/// With the LED on the same rail, the receiver cannot run in the dark.
struct ReceiverSupply {
  private let power: any PowerSwitch
  private(set) var isOn = false
  /// Why it could not be switched when that was last tried; nil where it could.
  private(set) var fault: (cause: String, kind: HardwareError.Kind)?
  /// When that is tried again; nil where it is as it should be.
  private(set) var retry: MonotonicInstant?
  /// Reads the receiver while it is on.
  var reading: Task<Void, any Error>?
  /// Every state from now on; what was not taken in time is not repeated.
  let states: AsyncStream<Bool>
  private let state: AsyncStream<Bool>.Continuation

  static let retryTime: Duration = .seconds(1)

  init(_ power: any PowerSwitch) {
    self.power = power
    (states, state) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Brings it to what it should be.
  /// - Returns: whether it has changed, or whether that failed for a new cause.
  mutating func set(isOn wanted: Bool, at now: MonotonicInstant) -> Bool {
    guard wanted != isOn else {
      retry = nil
      return false
    }
    guard retry.map({ $0 <= now }) ?? true else { return false }
    do {
      try power.set(isOn: wanted)
      (fault, retry) = (nil, nil)
      isOn = wanted
      state.yield(wanted)
      if !wanted { reading?.cancel() }
      return true
    } catch {
      let isNews = fault?.cause != "\(error)"
      fault = ("\(error)", (error as? HardwareError)?.kind ?? .failed)
      retry = now + Self.retryTime
      return isNews
    }
  }
}

extension Gateway {
  /// Whether somebody may be given a fix soon: an app waits for a press, was granted one, has updates or regions, an
  /// approximate place is wanted at the next slot boundary, or location is in use.
  private var isReceiverNeeded: Bool {
    !authorization.arms.isEmpty || !authorization.grants.isEmpty || !authorization.updates.isEmpty || !inUse.isEmpty
      || isWatchingRegions || nodeWanted
      || buttons.values.contains(where: \.isGettingReady)
  }

  /// Switches the receiver on or off, where the board can.
  func tendSupply(at now: MonotonicInstant) {
    guard var supply else { return }
    let changed = supply.set(isOn: isReceiverNeeded, at: now)
    self.supply = supply
    guard changed else { return }
    if let fault = supply.fault {
      loggers.receiver.warning("the receiver cannot be switched", metadata: ["cause": "\(fault.cause)"])
    } else if !supply.isOn {
      reception.switchedOff()
      receiverChanged()
    }
  }

  /// Reads the receiver for as long as it is on, each time that it is.
  func receiveWhileSupplied(_ receive: @escaping @Sendable () async throws -> Void) async throws {
    guard let states = supply?.states else { return }
    for await _ in states {
      // What the stream tells may be over by now.
      guard supply?.isOn == true else { continue }
      let reading = Task { try await receive() }
      supply?.reading = reading
      do {
        try await withTaskCancellationHandler {
          try await reading.value
        } onCancel: {
          reading.cancel()
        }
      } catch is CancellationError {
        // It was switched off while an absent receiver waited to be tried again; where the board ends, the states do, too.
      }
    }
  }
}
