import Base
import Decoding
import SimulatedUBlox
import Synchronization

@testable import LinuxHardware

/// A simulated bus with a receiver. Only transferred bytes and waits advance its clock.
final class SimulatedI2CBus: I2CBus {
  enum Receiver {
    /// u-blox: registers 0xFD...0xFF.
    case ddc
    /// MediaTek: a buffer of 255 bytes.
    case padded
  }

  struct State {
    var now = MonotonicInstant(nanoseconds: 0)
    /// The future output of the receiver with its times.
    var future: [(at: MonotonicInstant, bytes: [UInt8])] = []
    var buffer: [UInt8] = []
    var written: [(at: MonotonicInstant, bytes: [UInt8])] = []
    /// The receiver that answers the written frames; nil if nothing answers.
    var answering: ConfiguredReceiver?
    var scanner = FrameScanner()
    var reads: [MonotonicInstant] = []
    var reading: [Int] = []
    /// The faults of the next transactions; nil for none.
    var faults: [I2CFault?] = []
    /// The fault of every transaction; nil for none.
    var fault: I2CFault?
    /// Returns the reported count for the true count.
    var count: @Sendable (Int) -> Int = { $0 }
    /// The byte that an empty stream contains.
    var filler: UInt8 = 0xFF
    /// The duration of a byte: nine bits at 100 kHz.
    var microsecondsPerByte = 90.0
    /// The number of bytes that the receiver dropped, because it was not read for 1.5 s.
    var lost = 0
    var transactions = 0
    /// The time for which the bus was busy.
    var busy = Duration.zero
  }

  let state: Mutex<State>
  let receiver: Receiver
  let capacity: Int

  init(_ receiver: Receiver, capacity: Int = 8192, _ future: [(milliseconds: Int64, bytes: [UInt8])] = []) {
    self.receiver = receiver
    self.capacity = capacity
    state = Mutex(State(future: future.map { (at($0.milliseconds), $0.bytes) }))
  }

  var timing: I2CPort.Timing {
    I2CPort.Timing(
      now: { self.state.withLock { $0.now } },
      sleep: { instant in
        try Task.checkCancellation()
        self.state.withLock { $0.now = max($0.now, instant) }
      })
  }

  func perform(_ transaction: I2CTransaction) throws(I2CFault) -> [UInt8] {
    switch transaction {
    case .readByte: try transfer(write: [], readCount: 1)
    case .readWord(let register): try transfer(write: [register], readCount: 2)
    case .transfer(let write, let readCount): try transfer(write: write, readCount: readCount)
    }
  }

  private func transfer(write: [UInt8], readCount: Int) throws(I2CFault) -> [UInt8] {
    var result: [UInt8] = []
    var fault: I2CFault?
    // Each message begins with the address.
    let bytes = [write.count, readCount].filter { $0 > 0 }.reduce(0) { $0 + $1 + 1 }
    state.withLock { state in
      let duration = Duration.microseconds(state.microsecondsPerByte * Double(bytes))
      state.transactions += 1
      state.busy += duration
      state.now = state.now + duration
      fault = state.fault ?? (state.faults.isEmpty ? nil : state.faults.removeFirst())
      guard fault == nil else { return }
      if readCount > 0 {
        result = read(write, readCount, &state)
      } else {
        state.written.append((state.now, write))
        for (identifier, payload) in state.scanner.frames(in: write) {
          let answers = state.answering?.take(identifier, payload) ?? []
          state.buffer += answers.flatMap { UBXFrame.encode($0.0, $0.1) }
        }
      }
    }
    if let fault { throw fault }
    return result
  }

  private func read(_ write: [UInt8], _ count: Int, _ state: inout State) -> [UInt8] {
    let isStopped = receiver == .ddc && state.reads.last.map { state.now - $0 > .milliseconds(1500) } ?? false
    while let first = state.future.first, first.at <= state.now {
      if isStopped { state.lost += first.bytes.count } else { state.buffer += first.bytes }
      state.future.removeFirst()
    }
    state.reads.append(state.now)
    state.reading.append(count)
    var result: [UInt8] = []
    switch receiver {
    case .ddc:
      let said = UInt16(truncatingIfNeeded: state.count(state.buffer.count))
      var register = Int(write.first ?? 0xFF)
      while result.count < count {
        switch register {
        case 0xFD: result.append(UInt8(said >> 8))
        case 0xFE: result.append(UInt8(said & 0xFF))
        default: result.append(state.buffer.isEmpty ? state.filler : state.buffer.removeFirst())
        }
        register = min(0xFF, register + 1)
      }
    case .padded:
      result = Array(state.buffer.prefix(count))
      state.buffer.removeFirst(result.count)
      result += [UInt8](repeating: 0x0A, count: count - result.count)
    }
    return result
  }
}

func at(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}
