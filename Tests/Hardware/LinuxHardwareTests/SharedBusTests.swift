import Base
import Synchronization
import Testing

@testable import LinuxHardware

/// A receiver and a display on one bus of 100 kHz. Each waits until the other's transaction ends, because the kernel
/// locks an adapter for one transaction.
private struct SharedBus {
  /// A frame of 128 × 64 pixels every 400 ms, as the display program sends it.
  private static let frame: [[UInt8]] = {
    let band = [4, 33, 33, 33, 33].map { [UInt8](repeating: 0x40, count: $0) }
    let bands = Array(repeating: band, count: 8).flatMap(\.self)
    return [[UInt8](repeating: 0, count: 30)] + bands + [[0x00, 0xAF]]
  }()

  let bus: SimulatedI2CBus
  private var polling: I2CPolling
  private(set) var stream = 0
  private(set) var frames = 0
  /// The longest time for which a transaction of the receiver or of the display waited for the other's transaction.
  private(set) var receiverWait = Duration.zero
  private(set) var displayWait = Duration.zero
  private var left: ArraySlice<[UInt8]> = []
  private var frameDue = at(0)
  private var receiverDue = at(0)
  private var displayDue = at(0)

  init(_ receiver: SimulatedI2CBus.Receiver) {
    let epoch = [UInt8](repeating: 0x41, count: 240)
    bus = SimulatedI2CBus(receiver, (0..<300).map { (100 + Int64($0) * 100, epoch) })
    polling = I2CPolling(receiver == .ddc ? .ddc : .paddedBuffer, capacity: bus.capacity, at: at(0))
  }

  private var now: MonotonicInstant { bus.timing.now() }

  mutating func run(until end: Int64) throws {
    var isReceiverNext = true
    while now < at(end) {
      if left.isEmpty, now >= frameDue {
        (left, displayDue) = (Self.frame[...], now)
        frameDue = now + .milliseconds(400)
      }
      switch polling.next(at: now) {
      case .giveUp(let fault): throw fault
      case .wait(let instant):
        receiverDue = instant
        if left.isEmpty { bus.state.withLock { $0.now = max($0.now, min(instant, frameDue)) } } else { try draw() }
        isReceiverNext = true
      case .perform(let transaction):
        if !left.isEmpty, !isReceiverNext {
          try draw()
        } else {
          receiverWait = max(receiverWait, now - max(receiverDue, at(0)))
          let bytes = try bus.perform(transaction)
          stream += polling.succeeded(bytes, at: now).count
          receiverDue = now
        }
        isReceiverNext.toggle()
      }
    }
  }

  private mutating func draw() throws {
    displayWait = max(displayWait, now - displayDue)
    _ = try bus.perform(.transfer(write: left.removeFirst(), readCount: 0))
    displayDue = now
    if left.isEmpty { frames += 1 }
  }
}

@Test(arguments: [(SimulatedI2CBus.Receiver.ddc, 12.0), (.padded, 23.1)])
func `beside a display a receiver at 10 Hz loses nothing, and neither waits longer than one transaction of the other`(
  receiver: SimulatedI2CBus.Receiver, longest: Double
) throws {
  var shared = SharedBus(receiver)
  try shared.run(until: 20_000)
  #expect(shared.stream >= 195 * 240, "\(shared.stream)")
  #expect(shared.frames >= 45, "\(shared.frames)")
  #expect(shared.receiverWait / .milliseconds(1) <= 3.1, "\(shared.receiverWait)")
  #expect(shared.displayWait / .milliseconds(1) <= longest, "\(shared.displayWait)")
}
